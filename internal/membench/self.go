package membench

import (
	"fmt"
	"os"
	"runtime"
	"strings"
)

// selfPath returns a path by which this program can be started again, even
// when its file has been replaced meanwhile. Behind a runner /proc/self is
// the runner, so that our own entry in /proc is named then.
func selfPath(behindRunner bool) (string, error) {
	path, err := os.Executable()
	if runtime.GOOS != "linux" {
		return path, err
	}
	if err == nil && !strings.HasSuffix(path, " (deleted)") {
		if _, serr := os.Stat(path); serr == nil {
			return path, nil
		}
	}
	if behindRunner {
		return fmt.Sprintf("/proc/%d/exe", os.Getpid()), nil
	}
	return "/proc/self/exe", nil
}
