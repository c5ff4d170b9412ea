package respawn

import (
	"fmt"
	"os"
	"runtime"
)

// Path returns a path by which this very program can be started again, even
// when its file is replaced or removed meanwhile: its own entry in /proc, by
// number when another program will start it, for there /proc/self is that
// program. Under an emulator /proc/self/exe is the emulator: then only the
// file's path serves.
func Path(byOther bool) (string, error) {
	path, err := os.Executable()
	if runtime.GOOS != "linux" {
		return path, err
	}
	exe, serr := os.Stat("/proc/self/exe")
	if serr != nil {
		return path, err
	}
	if file, ferr := os.Stat(path); err == nil && ferr == nil && !os.SameFile(file, exe) {
		return path, nil
	}
	if byOther {
		return fmt.Sprintf("/proc/%d/exe", os.Getpid()), nil
	}
	return "/proc/self/exe", nil
}
