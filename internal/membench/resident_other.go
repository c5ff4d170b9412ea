//go:build !linux

package membench

func (w *worker) readResident() {}
