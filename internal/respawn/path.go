package respawn

import (
	"fmt"
	"os"
	"runtime"
	"strings"
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
	// An emulator gives the link as the program's path, whatever became of
	// that; the kernel says when the file is gone or another
	// (proc_pid_exe(5)).
	link, lerr := os.Readlink("/proc/self/exe")
	gone := lerr == nil && strings.HasSuffix(link, " (deleted)")
	if file, ferr := os.Stat(path); !gone && err == nil && ferr == nil && !os.SameFile(file, exe) {
		return path, nil
	}
	if byOther {
		return fmt.Sprintf("/proc/%d/exe", os.Getpid()), nil
	}
	return "/proc/self/exe", nil
}
