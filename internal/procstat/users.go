package procstat

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// Users maps user ids to names and back. On Unix it reads passwd(5) once
// rather than ask the system's libraries for each id: names that only a
// directory service knows show as numbers.
type Users struct {
	names map[uint32]string
	ids   map[string]uint32
}

// LoadUsers reads the user database; one that cannot be read is empty.
func LoadUsers(passwd string) *Users {
	u := &Users{names: map[uint32]string{}, ids: map[string]uint32{}}
	if f, err := os.Open(passwd); err == nil {
		defer f.Close()
		u.parse(f)
	}
	return u
}

func (u *Users) parse(r io.Reader) {
	sc := bufio.NewScanner(r)
	for sc.Scan() {
		f := strings.SplitN(sc.Text(), ":", 4)
		if len(f) < 4 {
			continue
		}
		id, err := strconv.ParseUint(f[2], 10, 32)
		if err != nil || f[0] == "" {
			continue
		}
		if _, dup := u.names[uint32(id)]; !dup { // the first name of an id counts
			u.names[uint32(id)] = f[0]
		}
		u.ids[f[0]] = uint32(id)
	}
}

// Name returns the name of a user, or the number where it has none.
func (u *Users) Name(id uint32) string {
	name, ok := u.names[id]
	if !ok {
		name = strconv.FormatUint(uint64(id), 10)
		u.names[id] = name
	}
	return name
}

// ID returns the id of a user named by name or number.
func (u *Users) ID(name string) (uint32, error) {
	if id, ok := u.ids[name]; ok {
		return id, nil
	}
	if id, err := strconv.ParseUint(name, 10, 32); err == nil {
		return uint32(id), nil
	}
	return 0, fmt.Errorf("unknown user %q: give a name from the user database or a number", name)
}
