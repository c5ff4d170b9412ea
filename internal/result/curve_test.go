package result

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func curveFile(t *testing.T, dir, name string, records ...Curve) string {
	t.Helper()
	var b bytes.Buffer
	for _, c := range records {
		if err := WriteJSON(&b, c); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func head(kind string) CurveHead {
	return CurveHead{Schema: RunSchema, Kind: kind, Started: time.Unix(1e9, 0).UTC(), Warnings: []Warning{}}
}

func TestLoadAllReadsCurves(t *testing.T) {
	dir := t.TempDir()
	sweep := &Sweep{CurveHead: head(SweepKind), Samples: []SweepSample{{Bytes: 4096, Rate: 1e9, Passes: 3}}}
	scale := &Scale{CurveHead: head(ScaleKind), Launches: []Launch{{}}}
	latency := &Latency{CurveHead: head(LatencyKind), Loaded: &LoadedLatency{Samples: []LoadedSample{{NS: 100}}}}
	a := curveFile(t, dir, "a.json", sweep)
	curveFile(t, dir, "b.json", scale, latency) // as cat makes them
	runs, curves, errs := LoadAll([]string{dir}, nil)
	if len(runs) != 0 || len(errs) != 0 || len(curves) != 3 {
		t.Fatalf("%d runs, %d curves, %v", len(runs), len(curves), errs)
	}
	if s, ok := curves[0].Curve.(*Sweep); !ok || curves[0].File != a || s.Samples[0].Rate != 1e9 || s.Head().Kind != SweepKind {
		t.Errorf("%+v", curves[0])
	}
	// Whoever wants runs alone is told what they are instead.
	if _, errs := Load([]string{a}, nil); len(errs) != 1 || !errors.Is(errs[0], ErrNoResult) || !strings.Contains(errs[0].Error(), "memtest report") {
		t.Errorf("%v", errs)
	}
	if runs, errs := Load([]string{dir}, nil); len(runs) != 0 || len(errs) != 1 || !errors.Is(errs[0], ErrNoRecords) {
		t.Errorf("%v, %v", runs, errs)
	}
}

func TestParseCurvesRefuses(t *testing.T) {
	for text, want := range map[string]error{
		`{"schema":1,"kind":"memtest-sweep","samples":[]}`:              ErrNoLaunch,
		`{"schema":99,"kind":"memtest-sweep"}`:                          ErrNewer,
		`{"kind":"memtest-sweep"}`:                                      ErrNoResult,
		`{"schema":1,"kind":"memtest-info"}`:                            ErrNoResult,
		`{"schema":1,"kind":"memtest-sweep","samples":[{"bytes":4`:      ErrTruncated,
		`{"schema":1,"kind":"memtest-sweep","samples":[{"bytes":"a"}]}`: ErrNoResult,
		`[3]`:   ErrNoResult,
		`hello`: ErrNoResult,
	} {
		if c, err := ParseCurves([]byte(text)); !errors.Is(err, want) || len(c) != 0 {
			t.Errorf("%s: %v, %v; want %v", text, c, err, want)
		}
	}
}

func FuzzParseCurves(f *testing.F) {
	f.Add([]byte(`{"schema":1,"kind":"memtest-scale","launches":[{}]}`))
	f.Add([]byte(`{"schema":1,"kind":"memtest-latency","samples":[{"ns":1}]} {"schema":1`))
	f.Fuzz(func(t *testing.T, b []byte) {
		all, err := ParseCurves(b)
		for _, c := range all {
			if c == nil || !c.Usable() {
				t.Errorf("an unusable curve, error %v", err)
			}
		}
	})
}
