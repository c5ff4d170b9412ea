package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"

	"wordsize/internal/result"
)

func b(v int64) result.Bytes { return result.Some(v) }

// sampleRows hold the awkward cases of process rows.
func sampleRows() []*result.Process {
	return []*result.Process{
		{PID: 812, PPID: b(1), User: "www-data", State: "S", Bits: 64, Machine: "x86-64", Threads: b(1), Nice: b(0),
			Virtual: b(212 << 20), Resident: b(96 << 20), Shared: b(3832 << 10), PSS: b(61 << 20), USS: b(60 << 20),
			CPUPercent: result.Some(12.34), CPUNS: b(109_610_000_000), Command: "django '/gallery/3329236/0/'",
			GrowBytes: b(5 << 20), GrowNS: b(30e9), AgeNS: b(3723e9), Peak: b(100 << 20), Swap: b(0)},
		{PID: 2, PPID: b(0), User: "root", State: "S", Kernel: true, Command: "[kthreadd]", CPUPercent: result.Some(0.0), CPUNS: b(0)},
		{PID: 900, User: "root", Refused: result.RefusedMemory | result.RefusedCPU | result.RefusedPSS | result.RefusedArch,
			Command: "evil\x1b]0;x\x07 \u202etitle"},
		{PID: 901, User: "u", State: "R", Bits: 32, Machine: "i386", Virtual: b(51677046505472), Resident: b(200 << 20),
			Shared: b(1 << 20), PSS: b(60 << 20), USS: b(72 << 20), PSSDoubt: true, PSSAgeNS: b(12e9), HugeTLB: b(2 << 30), Command: "日本語 worker"},
		{PID: 901, TID: 905, User: "u", State: "S", Depth: 1, Command: "worker/0", CPUPercent: result.Some(100.0), CPUNS: b(10e9)},
	}
}

func tableOf(t *testing.T, columns string, width int) string {
	t.Helper()
	cols, err := ParseColumns(ProcessColumns, columns)
	if err != nil {
		t.Fatal(err)
	}
	table := WatchTable[result.Process]{Columns: cols, Width: width, Context: WatchContext{MemoryTotal: 1 << 30}}
	var out bytes.Buffer
	if err := table.Write(&out, sampleRows()); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestWatchTable(t *testing.T) {
	got := tableOf(t, "PID,USER,ARCH,S,VIRT,RES,SHR,PSS,USS,%CPU,%MEM,TIME+,AGE,ΔRES,COMMAND", 0)
	want := "" +
		" PID USER     ARCH      S VIRT  RES  SHR       PSS     USS %CPU %MEM   TIME+  AGE ΔRES COMMAND\n" +
		" 812 www-data 64 x86-64 S 212m  96m 3832       61m     60m 12.3  9.4 1:49.61 1h02 +10m django '/gallery/3329236/0/'\n" +
		"   2 root     -         S    -    -    -         -       -  0.0    - 0:00.00    -      [kthreadd]\n" +
		" 900 root     ?         ?    ?    ?    ?         ?       ?    ?    ?       ?    ?      evil\\x1b]0;x\\x07 \\u202etitle\n" +
		" 901 u        32 i386   R  47t 200m 1024 60m!+'12s 72m'12s      19.5       -    -      日本語 worker\n" +
		"+905 u        -         S    -    -    -         -       -  100    - 0:10.00    -      `- worker/0\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// No line is wider than asked for, at any width.
func TestWatchTableWidths(t *testing.T) {
	for width := 1; width < 150; width++ {
		for line := range strings.Lines(tableOf(t, "PID,USER,ARCH,VIRT,RES,PSS,%CPU,COMMAND", width)) {
			if w := displaywidth.String(strings.TrimSuffix(line, "\n")); w > width {
				t.Errorf("width %d: %q takes %d", width, line, w)
			}
		}
	}
}

func TestDefaultColumnsFit(t *testing.T) {
	for _, width := range []int{20, 30, 40, 50, 60, 80, 100, 120, 140, 200} {
		cols := DefaultProcessColumns(width, true)
		table := WatchTable[result.Process]{Columns: cols}
		table.Layout(sampleRows()[:1])
		head := string(table.Header(nil))
		if room := width - (len(head) - len("COMMAND")); room < 7 {
			t.Errorf("width %d leaves %d for COMMAND: %s", width, room, head)
		}
	}
	names := strings.Join(columnNamesOf(DefaultProcessColumns(80, false)), ",")
	if names != "PID,USER,S,VIRT,RES,SHR,%CPU,TIME+,COMMAND" {
		t.Error(names)
	}
}

func columnNamesOf(cols []*ProcessColumn) (names []string) {
	for _, c := range cols {
		names = append(names, c.Name)
	}
	return names
}

func TestCompareUnknownLast(t *testing.T) {
	res, err := FindColumn(ProcessColumns, "res")
	if err != nil {
		t.Fatal(err)
	}
	var c WatchContext
	known, unknown := &result.Process{Resident: b(5)}, &result.Process{}
	for _, descending := range []bool{false, true} {
		if res.Compare(&c, known, unknown, descending) >= 0 || res.Compare(&c, unknown, known, descending) <= 0 {
			t.Errorf("descending %v: the unknown value is not last", descending)
		}
	}
}

func TestFindColumn(t *testing.T) {
	if c, err := FindColumn(ProcessColumns, "dres"); err != nil || c.Name != "ΔRES" {
		t.Error(c, err)
	}
	if _, err := FindColumn(ProcessColumns, "NOPE"); err == nil || !strings.Contains(err.Error(), `"NOPE"`) || !strings.Contains(err.Error(), "RES,SHR") {
		t.Error(err)
	}
}

func TestWatchCSV(t *testing.T) {
	cols, _ := ParseColumns(ProcessColumns, "PID,RES,PSS,%CPU,COMMAND")
	var out bytes.Buffer
	w := WatchCSV[result.Process]{Columns: cols}
	tick := &result.WatchTick{TimeUnixNS: 1_700_000_000_250_000_000}
	for range 2 {
		if err := w.Write(&out, tick, sampleRows()[:3]); err != nil {
			t.Fatal(err)
		}
	}
	lines, err := csv.NewReader(&out).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{
		{"time", "pid", "res_bytes", "pss_bytes", "cpu_percent", "command"},
		{"2023-11-14T22:13:20.250Z", "812", "100663296", "63963136", "12.340", "django '/gallery/3329236/0/'"},
		{"2023-11-14T22:13:20.250Z", "2", "", "", "0.000", "[kthreadd]"},
		{"2023-11-14T22:13:20.250Z", "900", "", "", "", `evil\x1b]0;x\x07 \u202etitle`},
	}
	if len(lines) != 7 || !reflect.DeepEqual(lines[:4], want) {
		t.Errorf("got %q", lines)
	}
}

func TestWatchJSON(t *testing.T) {
	tick := &result.WatchTick{TimeUnixNS: 5, Processes: sampleRows()}
	var out bytes.Buffer
	var doc WatchJSON
	if err := doc.Begin(&out, &result.Host{OS: "linux"}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := doc.Tick(&out, tick); err != nil {
			t.Fatal(err)
		}
	}
	if err := doc.End(&out); err != nil {
		t.Fatal(err)
	}
	var back struct {
		Schema string
		Ticks  []result.WatchTick
	}
	if err := json.Unmarshal(out.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if back.Schema != result.WatchSchema || len(back.Ticks) != 2 {
		t.Fatalf("%+v", back)
	}
	for i, p := range back.Ticks[1].Processes {
		want := *sampleRows()[i]
		want.Depth = 0 // not recorded
		if !reflect.DeepEqual(*p, want) {
			t.Errorf("row %d: got %+v, want %+v", i, *p, want)
		}
	}
	if bytes.Contains(out.Bytes(), []byte("\x1b")) || strings.Contains(out.String(), "\u202e") {
		t.Error("the JSON holds control characters")
	}
}

func TestWatchLines(t *testing.T) {
	var out bytes.Buffer
	tick := &result.WatchTick{TimeUnixNS: 5, Processes: sampleRows()[:1], Groups: []*result.Group{{Name: "g", PSS: b(7)}}}
	if err := WriteWatchLines(&out, tick); err != nil {
		t.Fatal(err)
	}
	var types []string
	for line := range strings.Lines(out.String()) {
		var rec struct {
			Type string
			Time int64 `json:"time_unix_ns"`
			Res  int64 `json:"res_bytes"`
			Pss  int64 `json:"pss_bytes"`
		}
		if err := json.Unmarshal([]byte(line), &rec); err != nil || rec.Time != 5 {
			t.Fatal(line, err)
		}
		types = append(types, rec.Type)
		if rec.Type == "process" && rec.Res != 96<<20 || rec.Type == "group" && rec.Pss != 7 {
			t.Error(line)
		}
	}
	if strings.Join(types, " ") != "tick process group" {
		t.Error(types)
	}
}

func TestGroupTable(t *testing.T) {
	cols, _ := ParseColumns(GroupColumns, "PROCS,RES,PSS,MIN,AVG,MAX,NOPSS,GROUP")
	table := WatchTable[result.Group]{Columns: cols}
	var out bytes.Buffer
	rows := []*result.Group{
		{Name: "gunicorn", Processes: 3, WithRES: 3, Resident: b(90 << 20), PSS: b(60 << 20), MinRES: b(20 << 20), MaxRES: b(40 << 20),
			WithPSS: 2, PSSMissing: 1, PSSAgeNS: b(4e9)},
		{Name: "[kernel]", Processes: 70},
	}
	if err := table.Write(&out, rows); err != nil {
		t.Fatal(err)
	}
	want := "" +
		"PROCS RES    PSS MIN AVG MAX NOPSS GROUP\n" +
		"    3 90m 60m~'4s 20m 30m 40m     1 gunicorn\n" +
		"   70   -      -   -   -   -     0 [kernel]\n"
	want = strings.Replace(want, "RES    PSS", "RES     PSS", 1)
	want = strings.Replace(want, "-      -   -", "-       -   -", 1)
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}

func TestHeaderLines(t *testing.T) {
	total, avail, low, high, swap := int64(6<<30), int64(3<<30), int64(700<<20), int64(2<<30), int64(0)
	bits := 32
	host := &result.Host{Hostname: "web\x1b[1", OS: "linux", Kernel: "6.1.0", KernelBits: &bits, Machine: "i686"}
	mem := &result.Memory{TotalBytes: &total, AvailableBytes: &avail, LowFreeBytes: &low, HighFreeBytes: &high, SwapTotalBytes: &swap, SwapFreeBytes: &swap}
	tick := &result.WatchTick{UptimeNS: b(3600e9), IntervalNS: b(2e9), Load: []float64{1, 2, 3},
		Counts: result.WatchCounts{Seen: 100, Selected: 12, Unreadable: 3, PSSRead: 9, PSSRefused: 3, OthersHidden: true},
		Self:   result.WatchSelf{CPUDeltaNS: b(20e6), RSSBytes: b(8 << 20)}}
	var all []string
	for _, line := range WatchHeaderLines(host, mem, tick, true) {
		all = append(all, JoinSegments(line, 0))
		for width := 1; width < 120; width++ {
			if s := JoinSegments(line, width); len([]rune(s)) > width {
				t.Errorf("width %d: %q", width, s)
			}
		}
	}
	text := strings.Join(all, "\n")
	for _, want := range []string{`web\x1b[1`, "32-bit i686", "up 1h00", "load 1.00 2.00 3.00", "LowFree 700m", "HighFree 2.0g", "no swap",
		"12 of 100 processes (others hidden)", "3 not readable", "self 1.0% CPU 8192 RES", "PSS of 9, 3 refused"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

// A value that was not asked for yet is not shown as one that there is none of.
func TestMarks(t *testing.T) {
	peak, err := FindColumn(ProcessColumns, "PEAK")
	if err != nil {
		t.Fatal(err)
	}
	for want, r := range map[string]result.Process{
		"?": {Refused: result.RefusedStatus, Unread: result.RefusedArch},
		".": {Unread: result.RefusedStatus},
		"-": {Unread: result.RefusedStatus, Kernel: true},
	} {
		if got, _ := peak.Cell(&WatchContext{}, &r, nil); string(got) != want {
			t.Errorf("%+v: %q, want %q", r, got, want)
		}
	}
}

// Terminals without UTF-8 get a header that they can show.
func TestGrowthHeaderInASCII(t *testing.T) {
	cols, err := ParseColumns(ProcessColumns, "dres")
	if err != nil {
		t.Fatal(err)
	}
	for ascii, want := range map[bool]string{false: "ΔRES", true: "DRES"} {
		table := WatchTable[result.Process]{Columns: cols, Context: WatchContext{Text: WatchText{ASCII: ascii}}}
		table.Layout(nil)
		if got := string(table.Header(nil)); got != want {
			t.Errorf("ASCII %v: %q, want %q", ascii, got, want)
		}
	}
}
