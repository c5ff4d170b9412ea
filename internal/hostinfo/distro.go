package hostinfo

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/shirou/gopsutil/v3/host"
)

// distribution names the system's distribution and version, such as
// "debian 12.11"; "" when unknown.
//
// os-release(5) has the answer on all current systems. gopsutil knows the
// release files of older ones too, but runs lsb_release when that program is
// there and /etc/lsb-release is not, which can take longer than everything
// else here: it is asked only where it cannot.
func (fs FS) distribution(ctx context.Context) string {
	if fs.Etc == "" {
		return ""
	}
	b, err := readFile(filepath.Join(fs.Etc, "os-release"))
	if errors.Is(err, os.ErrNotExist) && fs.live() {
		b, err = readFile("/usr/lib/os-release")
	}
	if err == nil {
		if name := parseOSRelease(b, readText(filepath.Join(fs.Etc, "debian_version"))); name != "" {
			return name
		}
	}
	if !fs.live() || !exists("/etc/lsb-release") && exists("/usr/bin/lsb_release") {
		return ""
	}
	return platform(ctx)
}

// platform asks gopsutil for the name and version of the system.
func platform(ctx context.Context) string {
	name, _, version, err := host.PlatformInformationWithContext(ctx)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(name + " " + version)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// parseOSRelease reads ID and VERSION_ID. Debian leaves the point release out
// of them; its debian_version file has it ("12.11", or "trixie/sid", which is
// no number and is not used when there is a VERSION_ID).
func parseOSRelease(b []byte, debianVersion string) string {
	values := map[string]string{}
	for line := range strings.Lines(string(b)) {
		key, value, ok := strings.Cut(strings.TrimSpace(line), "=")
		if ok && !strings.HasPrefix(key, "#") {
			values[key] = strings.Trim(value, `"'`)
		}
	}
	id, version := values["ID"], values["VERSION_ID"]
	if id == "" {
		id = values["NAME"]
	}
	if id == "" {
		return ""
	}
	if id == "debian" && (version == "" || strings.HasPrefix(debianVersion, version+".")) {
		version = debianVersion
	}
	return strings.TrimSpace(id + " " + version)
}
