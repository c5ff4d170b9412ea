//go:build unix

package record

import (
	"errors"
	"io/fs"

	"golang.org/x/sys/unix"
)

// mayExecute asks the system, which knows of access lists and of file systems
// that are mounted noexec.
func mayExecute(file string, _ fs.FileInfo) error {
	if err := unix.Access(file, unix.X_OK); err != nil {
		if errors.Is(err, unix.EACCES) {
			return errors.New("is not executable")
		}
		return err
	}
	return nil
}
