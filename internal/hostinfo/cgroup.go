package hostinfo

import (
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
)

// membership is one line of /proc/self/cgroup (cgroups(7)): the group that
// the process is in, in one hierarchy.
type membership struct {
	version     int      // 1 or 2
	controllers []string // v1 only
	path        string   // from the root of the cgroup namespace
}

// parseCgroup reads /proc/self/cgroup, whose lines are
// "hierarchy-ID:controller-list:path". The path may itself contain colons.
func parseCgroup(b []byte) ([]membership, error) {
	var all []membership
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" {
			continue
		}
		f := strings.SplitN(line, ":", 3)
		if len(f) != 3 || !strings.HasPrefix(f[2], "/") {
			return all, fmt.Errorf("%s is not hierarchy:controllers:/path", clip(line))
		}
		m := membership{version: 1, path: f[2]}
		if f[0] == "0" && f[1] == "" {
			m.version = 2
		} else {
			m.controllers = strings.Split(f[1], ",")
		}
		all = append(all, m)
	}
	return all, nil
}

// cgroupMount is one place where a cgroup hierarchy is mounted.
type cgroupMount struct {
	version     int
	controllers []string // v1 only
	root        string   // the group that is at the mount point
	point       string   // where it is mounted
}

// parseMountinfo returns the cgroup mounts of /proc/self/mountinfo
// (proc_pid_mountinfo(5)). Lines of other file systems are left out, and so
// are damaged ones.
func parseMountinfo(b []byte) []cgroupMount {
	var mounts []cgroupMount
	for line := range strings.Lines(string(b)) {
		// The optional fields before the dash vary in number.
		left, right, ok := strings.Cut(line, " - ")
		l, r := strings.Fields(left), strings.Fields(right)
		if !ok || len(l) < 6 || len(r) < 1 {
			continue
		}
		m := cgroupMount{root: unescapeMount(l[3]), point: unescapeMount(l[4])}
		switch {
		case !path.IsAbs(m.root) || !path.IsAbs(m.point):
			continue
		case r[0] == "cgroup2":
			m.version = 2
		case r[0] == "cgroup" && len(r) >= 3:
			m.version = 1
			m.controllers = strings.Split(r[len(r)-1], ",")
		default:
			continue
		}
		mounts = append(mounts, m)
	}
	return mounts
}

// unescapeMount undoes the octal escapes of mountinfo (\040 is a space).
func unescapeMount(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+3 < len(s) && isOctal(s[i+1:i+4]) {
			b.WriteByte((s[i+1]-'0')<<6 | (s[i+2]-'0')<<3 | (s[i+3] - '0'))
			i += 3
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func isOctal(s string) bool {
	return strings.Trim(s, "01234567") == "" && s[0] <= '3'
}

// group is one cgroup directory.
type group struct {
	path string // in the hierarchy, as /proc/self/cgroup would show it
	dir  string // in the file system
}

// groupPath is the way from a process's own group, first, up to the highest
// one that is visible here.
type groupPath struct {
	version int
	groups  []group
}

// own is the process's own group.
func (p groupPath) own() group { return p.groups[0] }

// cgroupPaths are the paths that hold this process's memory and CPU limits;
// nil where there is no such hierarchy. They differ when version 1 is in use.
type cgroupPaths struct {
	memory, cpu *groupPath
}

// cgroupPaths finds the own groups. The error tells of a hierarchy that exists
// but does not show the own group.
func (fs FS) cgroupPaths() (cgroupPaths, error) {
	text, err := readFile(fs.proc("self/cgroup"))
	if errors.Is(err, os.ErrNotExist) {
		return cgroupPaths{}, nil // a kernel without cgroups
	}
	if err != nil {
		return cgroupPaths{}, fmt.Errorf("own cgroup: %w", err)
	}
	members, err := parseCgroup(text)
	if err != nil {
		return cgroupPaths{}, fmt.Errorf("%s: %w", fs.proc("self/cgroup"), err)
	}
	text, err = readFile(fs.proc("self/mountinfo"))
	if err != nil {
		return cgroupPaths{}, fmt.Errorf("cgroup mounts: %w", err)
	}
	mounts := parseMountinfo(text)

	var paths cgroupPaths
	if paths.memory, err = fs.locate("memory", members, mounts); err != nil {
		return paths, err
	}
	paths.cpu, err = fs.locate("cpu", members, mounts)
	return paths, err
}

// locate finds the own group of one controller. A controller is in a version
// 1 hierarchy exactly if /proc/self/cgroup has a line with its name;
// otherwise it can only be in version 2.
func (fs FS) locate(controller string, members []membership, mounts []cgroupMount) (*groupPath, error) {
	i := slices.IndexFunc(members, func(m membership) bool {
		return m.version == 1 && slices.Contains(m.controllers, controller)
	})
	if i < 0 {
		i = slices.IndexFunc(members, func(m membership) bool { return m.version == 2 })
	}
	if i < 0 {
		return nil, nil
	}
	own := members[i]
	var best *groupPath
	mounted := false
	for _, m := range mounts {
		if m.version != own.version || m.version == 1 && !slices.Contains(m.controllers, controller) {
			continue
		}
		mounted = true
		// The same hierarchy may be mounted several times (a container within
		// a container): the mount that shows most ancestors is the best.
		if p := fs.walk(own, m); p != nil && (best == nil || len(p.groups) > len(best.groups)) {
			best = p
		}
	}
	if best == nil && mounted {
		return nil, fmt.Errorf("own cgroup %s is outside of what is mounted: its %s limits are unknown", clip(own.path), controller)
	}
	return best, nil
}

// walk lists the groups from the own one up to the mount's root; nil when the
// own group cannot be found below that mount.
func (fs FS) walk(own membership, m cgroupMount) *groupPath {
	point := fs.hostPath(m.point)
	rel, ok := fs.relativePath(own.path, m.root, point)
	if !ok {
		return nil
	}
	p := &groupPath{version: own.version}
	for {
		p.groups = append(p.groups, group{
			path: path.Join(m.root, rel),
			dir:  path.Join(point, rel),
		})
		if rel == "/" {
			return p
		}
		rel = path.Dir(rel)
	}
}

// relativePath returns where below a mount point the own group is. Normally
// the own path begins with the mount's root, and the rest is the answer. In a
// container that shows only its own subtree under paths of the host, the
// longest end of the own path that exists is the group, or else the mount's
// root itself. With ".." in the paths (a process or a mount from outside of
// this cgroup namespace) no such guess is made.
func (fs FS) relativePath(own, root, point string) (string, bool) {
	inside := root == "/" || own == root || strings.HasPrefix(own, root+"/")
	rel := own
	if inside && root != "/" {
		rel = "/" + strings.TrimPrefix(strings.TrimPrefix(own, root), "/")
	}
	if hasDotDot(rel) || !inside && hasDotDot(root) {
		return "", false
	}
	rel = path.Clean(rel)
	if !isDir(point) {
		return "", false
	}
	for !isDir(path.Join(point, rel)) {
		rest := strings.TrimPrefix(rel, "/")
		_, tail, ok := strings.Cut(rest, "/")
		if !ok {
			return "/", true
		}
		rel = "/" + tail
	}
	return rel, true
}

func hasDotDot(p string) bool {
	return slices.Contains(strings.Split(p, "/"), "..")
}

func isDir(p string) bool {
	st, err := os.Stat(p)
	return err == nil && st.IsDir()
}
