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

	"wordsize/internal/report"
	"wordsize/internal/result"
)

// The subcommands of memtest that can be run in both builds.
const (
	modeFootprint = "footprint"
	modeChase     = "chase"
)

// footprint measures both builds, one after the other, and joins the two
// records.
func (o *options) footprint(stdout, stderr io.Writer) error {
	records := make(map[string]*result.Footprint)
	var files []string
	for _, arch := range []string{o.pair.wide, o.pair.narrow} {
		o.progress(stderr, "\r\x1b[Kfootprint, %s\n", arch)
		f := new(result.Footprint)
		file, err := o.sub(arch, arch+"-footprint.json", nil, f, stderr)
		if err != nil {
			return err
		}
		records[arch], files = f, append(files, file)
	}
	p := result.PairFootprints(records[o.pair.wide], records[o.pair.narrow])
	p.Records = files
	for _, arch := range []string{o.pair.wide, o.pair.narrow} {
		for _, w := range records[arch].Warnings {
			p.Warnings = append(p.Warnings, fmt.Sprintf("[%s] %s: %s", w.Code, arch, w.Text))
		}
	}
	if err := o.save("footprint.json", p); err != nil {
		return err
	}
	switch o.format {
	case "markdown":
		return report.FootprintPairMarkdown(stdout, p)
	case "csv":
		return report.FootprintPairCSV(stdout, p)
	case "json":
		return result.WriteJSON(stdout, p)
	}
	return report.FootprintPairTable(stdout, p)
}

// sub runs the subcommand of one build with the caller's and more arguments,
// and reads the record it leaves.
func (o *options) sub(arch, name string, more []string, record any, stderr io.Writer) (string, error) {
	file := filepath.Join(o.out, name)
	args := append([]string{o.mode}, o.args...)
	args = append(append(args, more...), "--format", "json", "-o", file, "--overwrite")
	cmd := exec.Command(o.bins[arch], args...)
	var errs strings.Builder
	cmd.Stderr = &errs
	if isTerminal(stderr) {
		cmd.Stderr = stderr // its progress; what it says when it fails stands there too
	}
	if err := cmd.Run(); err != nil {
		return "", &launchError{arch, err, strings.TrimSpace(errs.String())}
	}
	b, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(b, record)
	}
	if err != nil {
		return "", &result.ReadError{Name: file, Err: err}
	}
	return file, nil
}

// runMode carries out a subcommand and returns the exit status.
func (o *options) runMode(stdout, stderr io.Writer) int {
	run := o.footprint
	if o.mode == modeChase {
		run = o.chase
	}
	if err := run(stdout, stderr); err != nil {
		fmt.Fprintf(stderr, "cross-arch: %v\n", err)
		var le *launchError
		if errors.As(err, &le) {
			return le.status()
		}
		return exitFailure
	}
	if o.format == "" || o.format == "table" {
		fmt.Fprintf(stdout, "Records: %s\n", o.out)
	}
	return exitOK
}
