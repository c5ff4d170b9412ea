package main

import (
	"bytes"
	"strings"
	"testing"

	"wordsize/internal/report"
	"wordsize/internal/result"
)

func TestParseOptions(t *testing.T) {
	o, err := parseOptions(strings.Fields("4 10 1500 --repeat 3 --kernels=write,zero --pin none --fail-above 5% --bin-386 a --bin-amd64=b --out d --warmup 0"))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Join(o.args, " ") != "4 10 1500 --pin none --warmup 0" || o.repeat != 3 || len(o.kernels) != 2 || o.failAbove != 5 || o.bins["386"] != "a" || o.bins["amd64"] != "b" || o.out != "d" {
		t.Errorf("%+v", o)
	}
	for args, want := range map[string]string{
		"":                              "N T MB",
		"4 10":                          "N T MB",
		"--repeat 3":                    "N T MB",
		"4 10 1 --repeat":               "--repeat",
		"4 10 1 --repeat 0":             "--repeat",
		"4 10 1 --fail-above x":         "--fail-above",
		"4 10 1 --pair mips":            "--pair",
		"4 10 1 --kernel write":         "--kernels",
		"4 10 1 --format json":          "--format",
		"4 10 1 --bin-arm x":            "--bin-arm",
		"4 10 1 --pair=arm --bin-386=x": "--bin-386",
	} {
		if _, err := parseOptions(strings.Fields(args)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one that mentions %q", args, err, want)
		}
	}
}

func TestIA32Reason(t *testing.T) {
	on := "CONFIG_X86_64=y\nCONFIG_IA32_EMULATION=y\n"
	for want, c := range map[string][2]string{
		"booted with ia32_emulation=off":    {"quiet ia32_emulation=off root=/dev/vda", on},
		"cannot be read":                    {"quiet", ""},
		"is not set":                        {"quiet", "# CONFIG_IA32_EMULATION is not set\n"},
		"off by default":                    {"quiet", on + "CONFIG_IA32_EMULATION_DEFAULT_DISABLED=y\n"},
		"(CONFIG_IA32_EMULATION=y) and yet": {"quiet ia32_emulation=on", on},
	} {
		if got := ia32Reason(c[0], c[1]); !strings.Contains(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestCommonKernel(t *testing.T) {
	wide := &result.KernelList{Kernels: []result.KernelEntry{
		{Name: "write", Tier: "avx512", Usable: true}, {Name: "write", Tier: "avx2", Usable: true}, {Name: "write", Tier: "go", Usable: true}, {Name: "zero", Tier: "clzero"},
	}}
	narrow := &result.KernelList{Kernels: []result.KernelEntry{{Name: "write", Tier: "avx2", Usable: true}, {Name: "write", Tier: "go", Usable: true}}}
	if k, err := commonKernel("write", wide, narrow); k != "write/avx2" || err != nil {
		t.Errorf("%s, %v: want the best tier that both have", k, err)
	}
	if k, err := commonKernel("write/go", wide, narrow); k != "write/go" || err != nil {
		t.Errorf("%s, %v", k, err)
	}
	for _, want := range []string{"write/avx512", "zero", "nosuch"} {
		if k, err := commonKernel(want, wide, narrow); err == nil {
			t.Errorf("%s: %s, want an error", want, k)
		}
	}
}

func rows(v *result.Verdict, factor float64, n int) {
	wide, narrow := make([]float64, n), make([]float64, n)
	for i := range n {
		wide[i] = 30e9 * (1 + 0.001*float64(i))
		narrow[i] = wide[i]*factor + 1e6
	}
	v.Rows = append(v.Rows, report.NewVerdictRow(v, "write/avx2", "single", wide, narrow))
}

func TestVerdictInWordsAndGate(t *testing.T) {
	for _, c := range []struct {
		factor   float64
		n        int
		emulated string
		words    string
		gate     bool
	}{
		{1, 10, "", "386 is as fast as amd64 (+0.0 %, not significant, n = 10)", false},
		{0.9, 10, "", "386 is 10.0 % slower than amd64 (p = ", true},
		{0.97, 10, "", "386 is 3.0 % slower", false},
		{1.1, 10, "", "386 is 10.0 % faster", false},
		{0.9, 3, "", "n = 3 is too few to tell", false},
		{0.5, 10, "qemu", "not a figure of any hardware", false},
	} {
		v := &result.Verdict{Wide: "amd64", Narrow: "386", Emulated: c.emulated}
		rows(v, c.factor, c.n)
		if got := v.Rows[0].Text; !strings.Contains(got, c.words) {
			t.Errorf("%q, want %q", got, c.words)
		}
		o := &options{failAbove: 5}
		if got := o.regressed(v); got != c.gate {
			t.Errorf("%s: gate %v, want %v", v.Rows[0].Text, got, c.gate)
		}
		var b bytes.Buffer
		if err := report.VerdictTable(&b, v); err != nil {
			t.Fatal(err)
		}
		if marked := strings.HasPrefix(b.String(), "EMULATED (qemu): compare counts and footprints, not speeds"); marked != (c.emulated != "") {
			t.Errorf("marked as emulated: %v\n%s", marked, b.String())
		}
	}
}

// Noise must not pass for agreement.
func TestWideIntervalsAreNoAgreement(t *testing.T) {
	v := &result.Verdict{Wide: "amd64", Narrow: "386"}
	wide := []float64{10e9, 20e9, 30e9, 12e9, 22e9, 28e9}
	row := report.NewVerdictRow(v, "write/avx2", "single", wide, wide)
	if strings.Contains(row.Text, "as fast as") || !strings.Contains(row.Text, "cannot be told apart") {
		t.Errorf("%q", row.Text)
	}
}

func TestUsage(t *testing.T) {
	var out, errs bytes.Buffer
	if code := run([]string{"4"}, &out, &errs); code != exitUsage || !strings.Contains(errs.String(), "usage:") {
		t.Errorf("exit %d: %s", code, errs.String())
	}
}
