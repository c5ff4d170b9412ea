package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"wordsize/internal/hostinfo"
	"wordsize/internal/membench/kernel"
	"wordsize/internal/result"
)

// version is set by release builds: -ldflags "-X main.version=1.2.3".
var version string

func versionNumber() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "devel"
	}
	rev, dirty := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision" && len(s.Value) >= 12:
			rev = s.Value[:12]
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "+changes"
		}
	}
	if rev == "" {
		return "devel"
	}
	return "devel-" + rev + dirty
}

func versionText() string {
	return fmt.Sprintf("memtest %s, %d-bit build (%s/%s, %s)", versionNumber(), hostinfo.BuildBits(), runtime.GOOS, runtime.GOARCH, runtime.Version())
}

func tool(name string) result.Tool {
	return result.Tool{
		Name: name, Version: versionNumber(), Go: runtime.Version(), GOOS: runtime.GOOS, GOARCH: runtime.GOARCH,
		WordBits: hostinfo.BuildBits(), Purego: !kernel.Assembly,
	}
}
