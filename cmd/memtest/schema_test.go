package main

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"wordsize/internal/result"
)

// TestSchemaNamesEveryKey looks up every key that a record can have in
// docs/schema.md.
func TestSchemaNamesEveryKey(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("..", "..", "docs", "schema.md"))
	if err != nil {
		t.Fatal(err)
	}
	doc := string(b)
	keys := make(map[string]bool)
	for _, record := range []any{result.Run{}, result.Info{}, result.KernelList{}, result.Verdict{}, result.Comparison{}, result.SavedList{},
		result.Footprint{}, result.FootprintPair{}, result.Chase{}, result.ChasePair{}, result.Scale{}, result.Sweep{}, result.Latency{}, result.NUMA{}} {
		collectKeys(reflect.TypeOf(record), keys)
	}
	if len(keys) < 100 {
		t.Fatalf("only %d keys found: the walk is wrong", len(keys))
	}
	for k := range keys {
		if !strings.Contains(doc, "`"+k+"`") {
			t.Errorf("docs/schema.md does not name `%s`", k)
		}
	}
}

// collectKeys gathers the JSON keys of a type and of all it is made of.
func collectKeys(typ reflect.Type, keys map[string]bool) {
	switch typ.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		collectKeys(typ.Elem(), keys)
	case reflect.Struct:
		for i := range typ.NumField() {
			name, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
			if typ.Field(i).Anonymous { // its keys stand beside the others
				collectKeys(typ.Field(i).Type, keys)
			}
			if name != "" {
				keys[name] = true
				collectKeys(typ.Field(i).Type, keys)
			}
		}
	}
}
