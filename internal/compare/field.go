package compare

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"wordsize/internal/result"
)

// Argument is the name of the grouping by where a record was read from.
const Argument = "argument"

// aliases are short names of keys to group by.
var aliases = map[string]string{
	"host": "host.hostname", "arch": "tool.goarch", "goarch": "tool.goarch", "bits": "tool.word_bits",
	"kernel-version": "host.kernel", "cpu": "host.cpu.model", "microcode": "host.cpu.microcode",
	"governor": "host.cpu.governors", "thp": "host.pages.thp_enabled", "distribution": "host.distribution",
	"version": "tool.version", "loop": "kernel.name", "tier": "kernel.tier", "n": "args.processes",
	"mb": "args.chunk_bytes", "pages": "args.pages", "pin": "args.pin", "hypervisor": "host.hypervisor",
	"parallel": "args.parallel", "numa": "args.numa",
}

// Unknown is the name of the group of records without the key.
const Unknown = "?"

// A FieldError is a key that no record has.
type FieldError struct{ Name string }

func (e *FieldError) Error() string {
	names := []string{Argument}
	for n := range aliases {
		names = append(names, n)
	}
	slices.Sort(names)
	return fmt.Sprintf("%q is no key of these records: want one of %s, or a key of the JSON such as host.cpu.microcode", e.Name, strings.Join(names, ", "))
}

// key resolves an alias.
func key(by string) string {
	if k, ok := aliases[by]; ok {
		return k
	}
	return by
}

// tree is a record's JSON without its launches.
type tree map[string]any

func treeOf(run *result.Run) tree {
	short := *run
	short.Launches, short.Warnings = nil, nil
	var t tree
	b, err := json.Marshal(&short)
	if err == nil {
		err = json.Unmarshal(b, &t)
	}
	if err != nil {
		return nil // a record that was read from JSON is written as JSON
	}
	return t
}

// get returns a key's value as text: "" when it is absent, and ok false when
// it is an object, or no key.
func (t tree) get(path string) (text string, ok bool) {
	var v any = map[string]any(t)
	for name := range strings.SplitSeq(path, ".") {
		m, is := v.(map[string]any)
		if !is {
			return "", false
		}
		if v, is = m[name]; !is {
			return "", false
		}
	}
	return valueText(v)
}

// valueText writes a value of the JSON; ok is false where there is none to
// write.
func valueText(v any) (text string, ok bool) {
	switch v := v.(type) {
	case string:
		return v, v != ""
	case bool:
		return strconv.FormatBool(v), true
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), true
	case []any:
		var all []string
		for _, e := range v {
			s, ok := valueText(e)
			if !ok {
				return "", false
			}
			all = append(all, s)
		}
		return strings.Join(all, ","), len(all) > 0
	}
	return "", false
}
