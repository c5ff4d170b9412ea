package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSchemaNamesEveryKey runs the commands for real and looks up every key
// of their JSON in docs/schema.md.
func TestSchemaNamesEveryKey(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("..", "..", "docs", "schema.md"))
	if err != nil {
		t.Fatal(err)
	}
	doc := string(b)
	for _, args := range [][]string{
		{"2", "0", "8", "--format", "json"},
		{"1", "0", "4", "--format", "json", "--no-verify", "--pages", "thp", "--pin", "none"},
		{"info", "--format", "json"},
		{"kernels", "--measure", "4", "--format", "json"},
	} {
		got := memtest(t, args...)
		var v any
		if err := json.Unmarshal([]byte(got.stdout), &v); err != nil {
			t.Fatalf("%v: %v, %s", args, err, got.stderr)
		}
		keys := make(map[string]bool)
		collectKeys(v, "", keys)
		for k := range keys {
			if !strings.Contains(doc, "`"+k+"`") {
				t.Errorf("docs/schema.md does not name `%s`", k)
			}
		}
	}
}

// collectKeys gathers the names of all keys; those of a warning's values are
// listed with the warning.
func collectKeys(v any, key string, keys map[string]bool) {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			keys[k] = true
			collectKeys(x, k, keys)
		}
	case []any:
		for _, x := range v {
			collectKeys(x, key, keys)
		}
	}
}
