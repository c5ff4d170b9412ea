package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/term"

	"wordsize/internal/report"
	"wordsize/internal/result"
)

// run makes the launches of both builds, interleaved, and the verdict.
func (o *options) run(stdout, stderr io.Writer) (*result.Verdict, error) {
	kernels, err := o.commonKernels()
	if err != nil {
		return nil, err
	}
	v := &result.Verdict{Schema: result.RunSchema, Kind: result.VerdictKind, Wide: o.pair.wide, Narrow: o.pair.narrow, Emulated: o.emulated, Args: o.args, Warnings: []string{}}
	samples := make(map[sampleKey][]float64)
	for r := range o.repeat {
		for _, k := range kernels {
			for _, arch := range o.pair.turn(r) {
				o.progress(stderr, "\r\x1b[Klaunch %d of %d, %s, %s", r+1, o.repeat, k, arch)
				run, file, err := o.launch(arch, k, r)
				if err != nil {
					o.progress(stderr, "\n")
					return nil, err
				}
				v.Records = append(v.Records, file)
				collect(samples, v, arch, k, run)
			}
		}
	}
	o.progress(stderr, "\r\x1b[K")
	for _, k := range kernels {
		for _, phase := range []string{result.PhaseSingle, result.PhaseParallel} {
			wide, narrow := samples[sampleKey{o.pair.wide, k, phase}], samples[sampleKey{o.pair.narrow, k, phase}]
			if len(wide) > 0 && len(narrow) > 0 {
				v.Rows = append(v.Rows, report.NewVerdictRow(v, k, phase, wide, narrow))
			}
		}
	}
	if err := report.VerdictTable(stdout, v); err != nil {
		return nil, err
	}
	return v, o.save("verdict.json", v)
}

// progress writes to a terminal and is silent elsewhere.
func (o *options) progress(stderr io.Writer, format string, args ...any) {
	if isTerminal(stderr) {
		fmt.Fprintf(stderr, format, args...)
	}
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

type sampleKey struct{ arch, kernel, phase string }

// collect adds a launch's figures, and what speaks against them.
func collect(samples map[sampleKey][]float64, v *result.Verdict, arch, k string, run *result.Run) {
	for _, phase := range []string{result.PhaseSingle, result.PhaseParallel} {
		key := sampleKey{arch, k, phase}
		samples[key] = append(samples[key], run.Aggregates(phase)...)
	}
	for _, w := range run.Warnings {
		if w.Code == result.WarnEmulated && v.Emulated == "" {
			v.Emulated = w.Subject
		}
		if !seen(v.Warnings, w.Code) {
			v.Warnings = append(v.Warnings, fmt.Sprintf("[%s] %s", w.Code, w.Text))
		}
	}
}

func seen(warnings []string, code string) bool {
	for _, w := range warnings {
		if strings.HasPrefix(w, "["+code+"]") {
			return true
		}
	}
	return false
}

// launch runs one build once and reads its record.
func (o *options) launch(arch, kernel string, r int) (*result.Run, string, error) {
	file := filepath.Join(o.out, fmt.Sprintf("%s-%s-%03d.json", arch, strings.ReplaceAll(kernel, "/", "-"), r))
	args := append(append([]string(nil), o.args...), "--kernel", kernel, "--format", "classic", "--quiet", "-o", file)
	cmd := exec.Command(o.bins[arch], args...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, "", &launchError{arch, err, strings.TrimSpace(string(out))}
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, "", err
	}
	runs, err := result.ParseRuns(b)
	if err != nil {
		return nil, "", &result.ReadError{Name: file, Err: err}
	}
	return runs[0], file, nil
}

// launchError is a build that failed; its own words and status are passed on.
type launchError struct {
	arch string
	err  error
	out  string
}

func (e *launchError) Error() string {
	return fmt.Sprintf("the %s build: %v: %s", e.arch, e.err, e.out)
}

func (e *launchError) status() int {
	var exit *exec.ExitError
	if errors.As(e.err, &exit) && exit.ExitCode() > 0 {
		return exit.ExitCode()
	}
	return 1
}

// commonKernels resolves the wanted loops to NAME/TIER that both builds can
// run: the 64-bit build's choice, if the other has it too.
func (o *options) commonKernels() ([]string, error) {
	lists := make(map[string]*result.KernelList)
	for arch, bin := range o.bins {
		out, err := exec.Command(bin, "kernels", "--format", "json").Output()
		if err != nil {
			return nil, fmt.Errorf("the %s build: kernels: %w", arch, err)
		}
		var l result.KernelList
		if err := json.Unmarshal(out, &l); err != nil {
			return nil, fmt.Errorf("the %s build: kernels: %w", arch, err)
		}
		lists[arch] = &l
	}
	var all []string
	for _, want := range o.kernels {
		k, err := commonKernel(want, lists[o.pair.wide], lists[o.pair.narrow])
		if err != nil {
			return nil, err
		}
		all = append(all, k)
	}
	return all, nil
}

// usageError is a wrong argument that only the builds could tell.
type usageError struct{ error }

func commonKernel(want string, wide, narrow *result.KernelList) (string, error) {
	name, tier, given := strings.Cut(want, "/")
	has := func(l *result.KernelList, tier string) bool {
		for _, k := range l.Kernels {
			if k.Name == name && k.Tier == tier && k.Usable {
				return true
			}
		}
		return false
	}
	known := false
	for _, k := range wide.Kernels { // best tier first
		if k.Name != name {
			continue
		}
		known = true
		if (!given || k.Tier == tier) && has(wide, k.Tier) && has(narrow, k.Tier) {
			return name + "/" + k.Tier, nil
		}
	}
	if !known {
		return "", usageError{fmt.Errorf("--kernels: %q: no such loop; see memtest kernels", want)}
	}
	return "", usageError{fmt.Errorf("--kernels: %q: not in a tier that both builds can run here; see memtest kernels", want)}
}

// save writes a record into the folder of this comparison.
func (o *options) save(name string, record any) error {
	return o.saveWith(name, func(w io.Writer) error { return result.WriteJSON(w, record) })
}

func (o *options) saveWith(name string, write func(io.Writer) error) error {
	f, err := result.NewOutFile(filepath.Join(o.out, name), true)
	if err != nil {
		return err
	}
	return f.Save(write)
}

// regressed says whether the gate is to fail: never for emulated figures.
func (o *options) regressed(v *result.Verdict) bool {
	if o.failAbove < 0 || v.Emulated != "" {
		return false
	}
	for _, r := range v.Rows {
		if r.Significant && -100*r.Change > o.failAbove {
			return true
		}
	}
	return false
}

// keepWide runs the 64-bit build once, when the other cannot run.
func (o *options) keepWide(file string) error {
	if o.mode != "" {
		_, err := o.sub(o.pair.wide, filepath.Base(file), nil, new(struct{}), io.Discard)
		return err
	}
	args := append(append([]string(nil), o.args...), "--kernel", o.kernels[0], "--format", "classic", "--quiet", "-o", file)
	out, err := exec.Command(o.bins[o.pair.wide], args...).CombinedOutput()
	if err != nil {
		return &launchError{o.pair.wide, err, strings.TrimSpace(string(out))}
	}
	return nil
}
