package report

import (
	"testing"
	"time"
)

func TestAppendWatchSize(t *testing.T) {
	for _, tc := range []struct {
		bytes int64
		want  string
	}{
		{0, "0"}, {1024, "1"}, {3832 << 10, "3832"}, {9999 << 10, "9999"}, {10000 << 10, "9.8m"},
		{62 << 20, "62m"}, {96 << 20, "96m"}, {212 << 20, "212m"}, {999 << 20, "999m"}, {1000 << 20, "1.0g"},
		{1<<31 - 1, "2.0g"}, {2200 << 20, "2.1g"}, {10 << 30, "10g"}, {51677046505472, "47t"},
		{1 << 62, "4.0e"}, {1<<63 - 1, "8.0e"}, {-2048, "-2"}, {-(10000 << 10), "-9.8m"}, {-1 << 63, "-8.0e"},
		{10474000 - 1000, "10m"},
	} {
		if got := string(AppendWatchSize(nil, tc.bytes)); got != tc.want {
			t.Errorf("%d: %q, want %q", tc.bytes, got, tc.want)
		}
	}
	for v := int64(1); v > 0; v += v/3 + 1 {
		if got := AppendWatchSize(nil, v); len(got) > 4 {
			t.Errorf("%d: %q is wider than 4", v, got)
		}
	}
}

func TestTimes(t *testing.T) {
	for _, tc := range []struct {
		d         time.Duration
		cpu, age  string
		staleness string
	}{
		{0, "0:00.00", "0s", "1s"},
		{109*time.Second + 610*time.Millisecond, "1:49.61", "1m49", "1m"},
		{5*time.Minute + 3*time.Second, "5:03.00", "5m03", "5m"},
		{3*time.Hour + 12*time.Minute, "192:00.00", "3h12", "3h"},
		{123*time.Hour + 45*time.Minute, "123h45", "5d03", "123h"},
		{400 * 24 * time.Hour, "9600h00", "400d", "9600h"},
	} {
		cpu, age, stale := string(AppendWatchCPUTime(nil, tc.d)), string(AppendWatchAge(nil, tc.d)), string(appendStale(nil, tc.d))
		if cpu != tc.cpu || age != tc.age || stale != tc.staleness {
			t.Errorf("%v: %q %q %q, want %q %q %q", tc.d, cpu, age, stale, tc.cpu, tc.age, tc.staleness)
		}
	}
}
