// Package layout holds no code: its test enforces who may import whom, as the
// design of the house has it.
package layout

import (
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "wordsize"

// A sourceFile is one Go file of this module.
type sourceFile struct {
	dir, name string // slash-separated, from the module's root
	test      bool
	imports   []string
	file      *ast.File
}

func (f sourceFile) path() string { return path.Join(f.dir, f.name) }

func sources(t *testing.T) []sourceFile {
	t.Helper()
	root := filepath.Join("..", "..")
	var all []sourceFile
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if n := d.Name(); p != root && (strings.HasPrefix(n, ".") || n == "testdata" || n == "build" || n == "examples") {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(p, ".go") {
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), p, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		f := sourceFile{dir: path.Dir(filepath.ToSlash(rel)), name: d.Name(), test: strings.HasSuffix(p, "_test.go"), file: parsed}
		for _, i := range parsed.Imports {
			name, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				return err
			}
			f.imports = append(f.imports, name)
		}
		all = append(all, f)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 50 {
		t.Fatalf("only %d Go files found: the walk is wrong", len(all))
	}
	return all
}

// own returns the packages of this module that a file imports.
func (f sourceFile) own() []string {
	var own []string
	for _, i := range f.imports {
		if rest, ok := strings.CutPrefix(i, module+"/"); ok {
			own = append(own, rest)
		}
	}
	return own
}

// allowed lists, for a package below internal, what of this module it may
// import. Packages that aren't listed may import anything that the other
// rules allow.
var allowed = map[string][]string{
	"internal/result":               {},
	"internal/stats":                {},
	"internal/membench/kernel":      {},
	"internal/compare":              {"internal/result", "internal/stats"},
	"internal/plot":                 {},
	"internal/page":                 {"internal/plot"},
	"internal/hostinfo":             {"internal/result"},
	"internal/procstat":             {"internal/result"},
	"internal/respawn":              {},
	"internal/footprint":            {"internal/result"},
	"internal/footprint/structures": {"internal/result", "internal/respawn"},
	"internal/membench":             {"internal/membench/kernel", "internal/result", "internal/hostinfo", "internal/respawn"},
	"internal/report":               {"internal/result", "internal/stats", "internal/plot", "internal/page"},
	"internal/tui":                  {"internal/result", "internal/report"},
	"internal/steady":               {"internal/result", "internal/stats"},
	"internal/usage":                {"internal/result", "internal/stats"},
	"internal/record":               {"internal/procstat", "internal/result", "internal/hostinfo"},
}

func TestWhoImportsWhom(t *testing.T) {
	for _, f := range sources(t) {
		if f.test {
			continue
		}
		may, ruled := allowed[f.dir]
		for _, i := range f.own() {
			if strings.HasPrefix(i, "cmd/") {
				t.Errorf("%s imports %s: nothing imports cmd", f.path(), i)
			}
			if ruled && !slices.Contains(may, i) {
				t.Errorf("%s imports %s; %s may import %v of this module", f.path(), i, f.dir, may)
			}
		}
	}
}

// Outside packages that only one place may know.
var confined = map[string][]string{
	"github.com/shirou/gopsutil/v3/process": {"internal/procstat", "scripts/benchwatch"}, // the latter is the peer that we are compared with
	"github.com/shirou/gopsutil/v3/host":    {"internal/hostinfo"},
	"github.com/shirou/gopsutil/v3/mem":     {"internal/hostinfo"},
	"github.com/shirou/gopsutil/v3/cpu":     {"internal/hostinfo"},
}

func TestOutsidePackages(t *testing.T) {
	for _, f := range sources(t) {
		for _, i := range f.imports {
			if dirs, ok := confined[i]; ok && !slices.Contains(dirs, f.dir) {
				t.Errorf("%s imports %s, which only %v may", f.path(), i, dirs)
			}
			if f.dir == "internal/membench/kernel" && !f.test && strings.Contains(i, ".") && i != "golang.org/x/sys/cpu" {
				t.Errorf("%s imports %s: the kernels know golang.org/x/sys/cpu alone", f.path(), i)
			}
			if i == "golang.org/x/sys/unix" && !platformFile(f) {
				t.Errorf("%s imports %s, but is built everywhere", f.path(), i)
			}
		}
	}
}

// platformFile says whether a file is built for some systems only.
func platformFile(f sourceFile) bool {
	base := strings.TrimSuffix(strings.TrimSuffix(f.name, ".go"), "_test")
	for _, system := range []string{"linux", "darwin", "freebsd"} {
		if strings.HasSuffix(base, "_"+system) {
			return true
		}
	}
	for _, group := range f.file.Comments {
		for _, c := range group.List {
			if constraint.IsGoBuild(c.Text) {
				return true
			}
		}
	}
	return false
}

// Only commands touch the arguments, standard output and the exit status.
func TestOnlyCommandsTouchTheProcess(t *testing.T) {
	forbidden := map[string]bool{"Args": true, "Exit": true, "Stdout": true}
	for _, f := range sources(t) {
		if f.test || !strings.HasPrefix(f.dir, "internal/") {
			continue
		}
		ast.Inspect(f.file, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			pkg, ok := sel.X.(*ast.Ident)
			if ok && pkg.Name == "os" && forbidden[sel.Sel.Name] {
				t.Errorf("%s uses os.%s, which belongs to cmd", f.path(), sel.Sel.Name)
			}
			return true
		})
	}
}
