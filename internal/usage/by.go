package usage

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"wordsize/internal/result"
)

// By says what the members of a group have in common.
type By string

// The kinds of groups.
const (
	ByProgram By = "program"
	ByPID     By = "pid"
	ByRole    By = "role" // the command, its descendants, the watched
	ByUser    By = "user"
	ByArch    By = "arch" // word size and machine
	ByCgroup  By = "cgroup"
	ByCommand By = "cmd"   // whole title
	ByLabel   By = "label" // none: the total alone
)

// Kinds lists them.
var Kinds = []By{ByProgram, ByPID, ByRole, ByUser, ByArch, ByCgroup, ByCommand, ByLabel}

// ParseBy checks the name of a kind of group.
func ParseBy(name string) (By, error) {
	if slices.Contains(Kinds, By(name)) {
		return By(name), nil
	}
	names := make([]string, len(Kinds))
	for i, k := range Kinds {
		names[i] = string(k)
	}
	return "", fmt.Errorf("%q is no kind of group: want one of %s", name, strings.Join(names, ", "))
}

// OfMixed says which processes count when only some recordings watched any.
const OfMixed = "watched, or all where none were,"

// ParseOf reads which processes count: all, command (with its descendants),
// watched, or a program's name.
func ParseOf(s string) (func(*Of) bool, error) {
	switch s {
	case "all":
		return nil, nil
	case "":
		return nil, errors.New("want all, command, watched or a program's name")
	case "command":
		return func(o *Of) bool { return o.Role == result.RoleCommand || o.Role == result.RoleChild }, nil
	case "watched":
		return func(o *Of) bool { return o.Role == result.RoleWatched }, nil
	}
	return func(o *Of) bool { return o.Program == s }, nil
}

// key is the name of the group of a process.
func (u *Usage) key(r *result.RecordedProcess) string {
	switch u.opt.By {
	case ByPID:
		return fmt.Sprintf("%d %s", r.PID, programOf(r.Program, r.Comm))
	case ByRole:
		return r.Role
	case ByUser:
		if r.User == "" && r.UID.Known {
			return fmt.Sprint(r.UID.Value)
		}
		return cmp.Or(r.User, "?")
	case ByArch:
		return cmp.Or(archName(r), "?")
	case ByCgroup:
		return cmp.Or(string(r.Cgroup), "?")
	case ByCommand:
		return cmp.Or(strings.ReplaceAll(string(r.Cmdline), "\x00", " "), "["+string(r.Comm)+"]")
	case ByLabel:
		return ""
	}
	return programOf(r.Program, r.Comm)
}

// exitKey is the same of a process that no tick saw.
func (u *Usage) exitKey(e *result.RecordedExit) string {
	program := programOf(e.Program, e.Comm)
	switch u.opt.By {
	case ByPID:
		return fmt.Sprintf("%d %s", e.PID, program)
	case ByRole:
		return cmp.Or(e.Role, "?")
	case ByUser:
		if !e.UID.Known {
			return "?"
		}
		return cmp.Or(u.users[e.UID.Value], fmt.Sprint(e.UID.Value))
	case ByArch, ByCgroup:
		return "?"
	case ByCommand:
		return "[" + string(e.Comm) + "]"
	case ByLabel:
		return ""
	}
	return u.fullName(program)
}

// commMax is the most that the kernel keeps of a program's name.
const commMax = 15

// fullName completes a name that the kernel has cut off.
func (u *Usage) fullName(program string) string {
	if len(program) != commMax {
		return program
	}
	found := program
	for name := range u.groups {
		if strings.HasPrefix(name, program) {
			if found != program {
				return program // more than one
			}
			found = name
		}
	}
	return found
}

func programOf(program, comm result.RawText) string {
	return cmp.Or(string(program), string(comm), "?")
}

func archName(r *result.RecordedProcess) string {
	if r.Bits == 0 {
		return ""
	}
	return strings.TrimSpace(fmt.Sprintf("%d %s", r.Bits, r.Machine))
}
