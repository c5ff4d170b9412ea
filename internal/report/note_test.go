package report

import (
	"reflect"
	"strings"
	"testing"

	"wordsize/internal/compare"
	"wordsize/internal/result"
)

// Each sentence, with all that its code can come with.
func TestNoteTexts(t *testing.T) {
	for want, n := range map[string]result.Note{
		"the groups differ in kernel: 6.1 in a, b, 6.2 in c":                                            {Code: result.NoteDiffers, Subject: "host.kernel", Parts: []result.NotePart{{Has: []string{"6.1"}, Groups: []string{"a", "b"}}, {Has: []string{"6.2"}, Groups: []string{"c"}}}},
		"too few launches for a 95 % interval in a (n = 1), b (n = 5): want 6, better 10 (--repeat 10)": {Code: result.NoteFew, Parts: []result.NotePart{{Groups: []string{"a"}, N: 1}, {Groups: []string{"b"}, N: 5}}},
		"r, s: too few launches for a 95 % interval in a (n = 5): want 6, better 10 (--repeat 10)":      {Code: result.NoteFew, Rows: []string{"r", "s"}, Parts: []result.NotePart{{Groups: []string{"a"}, N: 5}}},
		"a and b did not take turns: a drift of the host would show as a difference":                    {Code: result.NoteTurns, Groups: []string{"a", "b"}},
		"a, b, c and 2 more did not all take turns: a drift of the host would show as a difference":     {Code: result.NoteTurns, Groups: []string{"a", "b", "c", "d", "e"}},
		"r: a drifts by -3.5 % from its first launch to its last":                                       {Code: result.NoteDrift, Rows: []string{"r"}, Groups: []string{"a"}, Values: map[string]float64{"change": -0.035}},
		"r: the launches of a fall into two heaps, 100.0 % apart: its median may be of neither":         {Code: result.NoteBimodal, Rows: []string{"r"}, Groups: []string{"a"}, Values: map[string]float64{"low": 1e9, "high": 2e9}},
		"r: a is far above the others (score 4.0)":                                                      {Code: result.NoteOutlier, Rows: []string{"r"}, Groups: []string{"a"}, Values: map[string]float64{"score": 4}},
		"r: not measured in a, b": {Code: result.NoteUnmatched, Rows: []string{"r"}, Groups: []string{"a", "b"}},
		"records of all groups carry the warning steal (docs/method.md says what it means)":                                                                    {Code: result.NoteDoubted, Subject: "steal"},
		"records of a carry the warning steal (docs/method.md says what it means)":                                                                             {Code: result.NoteDoubted, Subject: "steal", Groups: []string{"a"}},
		"x.json ended early: only its complete launches count":                                                                                                 {Code: result.NoteInterrupted, Files: []string{"x.json"}},
		"emulated (qemu): compare counts and footprints; no difference in speed counts as significant":                                                         {Code: result.NoteEmulated, Subject: "qemu"},
		"left out as unusable (--keep-going): x.json, y.json":                                                                                                  {Code: result.NoteLeftOut, Files: []string{"x.json", "y.json"}},
		"future (a note that this version does not know)":                                                                                                      {Code: "future"},
		"the groups differ in host.future: 1 in a":                                                                                                             {Code: result.NoteDiffers, Subject: "host.future", Parts: []result.NotePart{{Has: []string{"1"}, Groups: []string{"a"}}}},
		"r: a is far below the others (score -9.1); it alone has microcode 0x1 (others: 0x2), 12.0 % of its CPU time stolen by the hypervisor (others: 0.5 %)": {Code: result.NoteOutlier, Rows: []string{"r"}, Groups: []string{"a"}, Values: map[string]float64{"score": -9.1, "steal_percent": 12, "others_steal_percent": 0.5}, Parts: []result.NotePart{{Key: "host.cpu.microcode", Has: []string{"0x1"}, Others: []string{"0x2"}}}},
	} {
		if got := NoteText(&n); got != want {
			t.Errorf("%s: %q, want %q", n.Code, got, want)
		}
	}
}

// A key that groups may differ in has a name, and is one of the record.
func TestWatchedKeysHaveNames(t *testing.T) {
	for _, key := range compare.Watched() {
		if keyNames[key] == "" {
			t.Errorf("%s has no name", key)
		}
		typ := reflect.TypeFor[result.Run]()
		for name := range strings.SplitSeq(key, ".") {
			if typ = memberOf(typ, name); typ == nil {
				t.Errorf("%s is no key of a run: no %s", key, name)
				break
			}
		}
	}
}

// memberOf returns the type of a JSON key of an object, nil when there is none.
func memberOf(typ reflect.Type, key string) reflect.Type {
	if typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	for i := range typ.NumField() {
		if name, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ","); name == key {
			return typ.Field(i).Type
		}
	}
	return nil
}
