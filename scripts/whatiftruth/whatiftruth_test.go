package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestCorpus(t *testing.T) {
	counted, servers := 0, 0
	seen := map[string]bool{}
	lastCalibration := false
	for _, p := range corpus() {
		if seen[p.name] {
			t.Errorf("%s is there twice", p.name)
		}
		seen[p.name] = true
		if lastCalibration && !p.calibration {
			t.Errorf("%s comes behind the calibration's", p.name)
		}
		lastCalibration = p.calibration
		if !p.calibration {
			counted++
			if p.kind == kindServer {
				servers++
			}
		}
		if p.holds == "" || p.ints == "" {
			t.Errorf("%s: what it holds and whether integers matter is not said", p.name)
		}
		if (p.goMain == "") == (len(p.packages) == 0) {
			t.Errorf("%s: want either a Go program or packages", p.name)
		}
		if p.goMain == "" && (len(p.args) == 0 || !filepath.IsAbs(p.args[0])) {
			t.Errorf("%s: %q is no absolute path", p.name, p.args)
		}
		if (p.load == nil) != (p.loadID == "") {
			t.Errorf("%s: a load and its name go together", p.name)
		}
		if strings.HasPrefix(p.name, "calib-") != (p.calibration && p.kind == kindGo) {
			t.Errorf("%s: calibration is %v", p.name, p.calibration)
		}
		for _, file := range []string{p.stdin, join("c", p.cSource), join(p.goMain, mainFile(p))} {
			if file == "" {
				continue
			}
			if _, err := os.Stat(filepath.Join("corpus", file)); err != nil {
				t.Errorf("%s: %v", p.name, err)
			}
		}
	}
	if counted < 14 || servers < 3 {
		t.Errorf("%d programs count, %d servers among them: want at least 14 and 3", counted, servers)
	}
}

func join(dir, file string) string {
	if file == "" {
		return ""
	}
	return filepath.Join(dir, file)
}

func mainFile(p pair) string {
	if p.goMain == "" {
		return ""
	}
	return "main.go"
}

func TestChoose(t *testing.T) {
	all := []pair{{name: "go-a"}, {name: "go-b"}, {name: "redis"}}
	for want, only := range map[string][]string{"go-a go-b redis": nil, "redis": {"redis"}, "go-a go-b": {"go-*"}, "go-b redis": {"redis", "go-b"}} {
		some, err := choose(all, only)
		var names []string
		for _, p := range some {
			names = append(names, p.name)
		}
		if err != nil || strings.Join(names, " ") != want {
			t.Errorf("%q: %v, %v; want %s", only, names, err, want)
		}
	}
	for _, only := range []string{"nosuch", "x*", ""} {
		if _, err := choose(all, []string{only}); err == nil || !strings.Contains(err.Error(), "--list") {
			t.Errorf("%q: error %v", only, err)
		}
	}
}

func TestParseOptions(t *testing.T) {
	o, err := parseOptions(strings.Fields("--repo /r --only a,b* --launches 2 --fresh --truth-only --format json --vm"))
	if err != nil {
		t.Fatal(err)
	}
	if len(o.only) != 2 || o.launches != 2 || !o.fresh || !o.truth || !o.vm || o.build != "/r/build/whatif-truth" || o.rsswatch != "/r/build/rsswatch" {
		t.Errorf("%+v", o)
	}
	for args, want := range map[string]string{
		"--repo /r redis":         "flags only",
		"--repo /r --launches 0":  "--launches",
		"--repo /r --format html": "--format",
		"--repo /r --bits 31":     "--bits",
		"--repo /r --nosuch":      "nosuch",
		"--list":                  "whatif-truth.sh",
	} {
		if _, err := parseOptions(strings.Fields(args)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one that mentions %q", args, err, want)
		}
	}
}

func TestRunSaysWhatIsWrong(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the command needs Linux and says so")
	}
	var out, errs bytes.Buffer
	if code := run([]string{"--repo", "/r", "--only", "nosuch"}, nil, &out, &errs); code != exitUsage || !strings.Contains(errs.String(), `no program "nosuch"`) {
		t.Errorf("exit %d: %s", code, errs.String())
	}
	out.Reset()
	if code := run([]string{"--repo", "/r", "--list", "--only", "redis"}, nil, &out, &errs); code != exitOK || !strings.HasPrefix(out.String(), "redis ") {
		t.Errorf("exit %d: %s", code, out.String())
	}
}

const rollup = `08048000-ff8d9000 ---p 00000000 00:00 0                                  [rollup]
Rss:                1416 kB
Pss:                 700 kB
Pss_Dirty:           500 kB
Shared_Clean:       1000 kB
Private_Clean:        16 kB
Private_Dirty:       400 kB
Anonymous:           400 kB
`

func TestParseRollup(t *testing.T) {
	u, err := parseRollup(rollup)
	if err != nil || u != (usage{RSS: 1416 << 10, Private: 416 << 10, PSS: 700 << 10}) {
		t.Errorf("%+v, %v", u, err)
	}
	for _, bad := range []string{"", "Rss: 1 kB\n", strings.Replace(rollup, "16 kB", "x kB", 1), strings.Replace(rollup, "1416 kB", "1416 MB", 1), strings.Replace(rollup, "700", "-7", 1)} {
		if u, err := parseRollup(bad); err == nil {
			t.Errorf("%q: %+v, want an error", bad, u)
		}
	}
}

func TestParseWhatIf(t *testing.T) {
	const head = `{"schema":"rsswatch-whatif/1","processes":[`
	e, err := parseWhatIf([]byte(head + `{"pid":1,"rss_bytes":100,"private_bytes":80,"undecided":false,"estimate":{"rss_bytes":70,"rss_low_bytes":60,"rss_high_bytes":75,"private_bytes":50,"private_low_bytes":40,"private_high_bytes":55}}]}`))
	if err != nil || e.RSS.Now != 100 || e.RSS.Best == nil || *e.RSS.Best != 70 || e.RSS.Low != 60 || e.RSS.High != 75 || e.Private.Now != 80 || e.Undecided {
		t.Errorf("%+v, %v", e, err)
	}
	e, err = parseWhatIf([]byte(head + `{"rss_bytes":100,"undecided":true,"estimate":{"rss_low_bytes":50,"rss_high_bytes":99}}]}`))
	if err != nil || e.RSS.Best != nil || !e.Undecided {
		t.Errorf("%+v, %v: want no middle", e, err)
	}
	for _, bad := range []string{
		``, `{}`, `{"schema":"rsswatch-whatif/2","processes":[]}`, head + `]}`, head + `{"rss_bytes":100}]}`,
		head + `{"rss_bytes":100,"estimate":{"rss_bytes":70}}]}`, head + `{"rss_bytes":100,"estimate":{"rss_low_bytes":90,"rss_high_bytes":80}}]}`,
		head + `{"rss_bytes":1,"estimate":{"rss_low_bytes":1,"rss_high_bytes":1}},{"rss_bytes":1,"estimate":{"rss_low_bytes":1,"rss_high_bytes":1}}]}`,
	} {
		if e, err := parseWhatIf([]byte(bad)); err == nil {
			t.Errorf("%q: %+v, want an error", bad, e)
		}
	}
}

func TestNewTruthTakesMedians(t *testing.T) {
	wides := []usage{{RSS: 100, Private: 80, PSS: 90}, {RSS: 104, Private: 90, PSS: 91}, {RSS: 101, Private: 70, PSS: 99}}
	narrows := []usage{{RSS: 60}, {RSS: 50}, {RSS: 56}, {RSS: 58}}
	tr := newTruth("p", "k", whereNative, wides, narrows)
	if tr.Wide != (usage{RSS: 101, Private: 80, PSS: 91}) || tr.Narrow.RSS != 57 || tr.Launches != 3 {
		t.Errorf("%+v", tr)
	}
	if want := 100 * 10 / 101.0; tr.Spread < want-1e-9 || tr.Spread > want+1e-9 {
		t.Errorf("spread %g, want that of the 32-bit launches, %g", tr.Spread, want)
	}
}

func TestCache(t *testing.T) {
	c := cache{filepath.Join(t.TempDir(), "truth")}
	if _, ok, err := c.get("p", whereNative, "k"); ok || err != nil {
		t.Errorf("an empty cache: %v, %v", ok, err)
	}
	want := truth{Program: "p", Key: "k", Where: whereNative, Wide: usage{RSS: 10}, Narrow: usage{RSS: 7}, Launches: 3}
	if err := c.put(want); err != nil {
		t.Fatal(err)
	}
	if got, ok, err := c.get("p", whereNative, "k"); !ok || err != nil || got != want {
		t.Errorf("%+v, %v, %v", got, ok, err)
	}
	for name, get := range map[string][3]string{"another version": {"p", whereNative, "k2"}, "another place": {"p", whereGuest, "k"}, "another program": {"q", whereNative, "k"}} {
		if got, ok, err := c.get(get[0], get[1], get[2]); ok || err != nil {
			t.Errorf("%s: %+v, %v, %v", name, got, ok, err)
		}
	}
	if err := os.WriteFile(c.file("p", whereNative), []byte(`{"program":"p","key":"k","wide":{"rss_by`), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := c.get("p", whereNative, "k"); ok || err != nil {
		t.Errorf("half a file: %v, %v; want it to be measured again", ok, err)
	}
}

func example(name string, rss64, rss32, low, high, best int64) row {
	r := newRow(&pair{name: name, kind: kindGo})
	r.setTruth(truth{Program: name, Wide: usage{RSS: rss64, Private: rss64}, Narrow: usage{RSS: rss32, Private: rss32}, Spread: float64(rss32 % 7)})
	e := estimate{RSS: usage3{Now: rss64, Low: low, High: high, Best: &best}}
	if best == 0 {
		e.RSS.Best, e.Undecided = nil, true
	}
	r.setEstimate(e)
	return r
}

func exampleReport() *report {
	const m = 1 << 20
	rows := []row{
		example("good", 100*m, 70*m, 60*m, 75*m, 68*m),
		example("outside", 100*m, 55*m, 60*m, 80*m, 70*m),
		example("undecided", 100*m, 99*m, 50*m, 100*m, 0),
		newRow(&pair{name: "failed"}),
		example("calib", 100*m, 10*m, 80*m, 90*m, 85*m),
	}
	rows[3].Failed = "it did not start"
	rows[4].Calibration = true
	return &report{Schema: reportSchema, Where: whereNative, Host: "Host: none.", Rows: rows, Summary: summarize(rows)}
}

func TestSummaryLeavesCalibrationAndMissingOut(t *testing.T) {
	s := exampleReport().Summary
	if s.Programs != 4 || s.WithoutEst != 1 || s.NoMiddle != 1 || s.Inside != 2 || strings.Join(s.Outside, " ") != "outside" {
		t.Errorf("%+v", s)
	}
	if *s.MedianError != 8.5 || *s.WorstError != 15 || s.Worst != "outside" || *s.MedianWidth != 20 {
		t.Errorf("median error %g, worst %g (%s), median width %g", *s.MedianError, *s.WorstError, s.Worst, *s.MedianWidth)
	}
	if s := summarize(nil); s.MedianError != nil || s.MedianWidth != nil || len(s.lines()) != 0 {
		t.Errorf("of nothing: %+v", s)
	}
}

func TestReport(t *testing.T) {
	for format, file := range map[string]string{formatTable: "report.txt", formatMarkdown: "report.md"} {
		var b bytes.Buffer
		if err := exampleReport().write(&b, format); err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(filepath.Join("testdata", file))
		if err != nil {
			t.Fatal(err)
		}
		if b.String() != string(want) {
			t.Errorf("%s: got\n%s\nwant\n%s", file, b.String(), want)
		}
	}
	var b bytes.Buffer
	if err := exampleReport().write(&b, formatJSON); err != nil {
		t.Fatal(err)
	}
	var back report
	if err := json.Unmarshal(b.Bytes(), &back); err != nil || len(back.Rows) != 5 || back.Rows[3].TruthPct != nil || *back.Rows[0].Error != -2 {
		t.Errorf("%v: %s", err, b.String())
	}
}

func TestArchiveNames(t *testing.T) {
	got := archiveNames("'http://x/pool/z.deb' zlib1g_1%3a1.2_i386.deb 100 SHA256:1\n'http://x/a.deb' apt_2_i386.deb 7 SHA256:2\nReading package lists...\n'http://x/c.dsc' c.dsc 5 SHA256:3\n")
	if strings.Join(got, " ") != "apt_2_i386.deb zlib1g_1%3a1.2_i386.deb" {
		t.Errorf("%q", got)
	}
}

func TestLoadsAreTheSameEveryTime(t *testing.T) {
	var a, b bytes.Buffer
	for _, w := range []*bytes.Buffer{&a, &b} {
		r := fixedRandom()
		for i := range 64 {
			redisCommand(w, redisKey(r, i)...)
		}
	}
	if a.String() != b.String() || !strings.Contains(a.String(), "ZADD") || !strings.HasPrefix(a.String(), "*3\r\n$3\r\nSET\r\n$6\r\npage:0\r\n$") {
		t.Errorf("%q...", a.String()[:80])
	}
	if got := pgMessage('Q', "select\x00"); string(got) != "Q\x00\x00\x00\x0bselect\x00" {
		t.Errorf("%q", got)
	}
}
