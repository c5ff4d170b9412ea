//go:build !linux

package footprint

// Open refuses: no other system shows memory page by page as Linux does.
func Open(string, int32) (Target, error) { return nil, ErrUnsupported }
