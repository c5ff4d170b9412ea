package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"wordsize/internal/result"
	"wordsize/internal/usage"
)

// readRecordings sums up the recordings that arguments name. NAME=FILES gives
// them a label; others have their own, or the name of their file. options says
// how to sum up a recording with this header.
func readRecordings(command string, args []string, stdin io.Reader, options func(*result.RecordingHeader) usage.Options) ([]usage.Labelled, error) {
	names, paths := splitNames(args)
	files, err := result.FindRecordings(paths)
	if err != nil {
		return nil, usagef("%s: %v", command, err)
	}
	var all []usage.Labelled
	seen := map[string]string{}
	same := map[string]int{} // files by the name that would be their label
	for _, f := range files {
		same[recordingName(f.Path)]++
	}
	for _, f := range files {
		rr, err := openRecording(f.Path, stdin)
		if err != nil {
			return nil, usagef("%s: %v", command, result.ExplainNoRecording(f.Path, err))
		}
		h := rr.Header()
		id := fmt.Sprint(h.Boot, h.Started.UnixNano(), h.Host.Hostname, h.PID)
		if first, ok := seen[id]; ok {
			rr.Close()
			return nil, usagef("%s: %v", command, &result.ReadError{Name: f.Path, Err: fmt.Errorf("%w: it holds the same recording as %s", result.ErrTwice, first)})
		}
		seen[id] = f.Path
		u := usage.Read(rr, f.Path, options(h))
		rr.Close()
		label := names[f.Arg]
		if label == "" {
			label = labelText(h.Labels)
		}
		if label == "" {
			if label = recordingName(f.Path); same[label] > 1 {
				label = f.Path
			}
		}
		all = append(all, usage.Labelled{Label: label, Use: u})
	}
	return all, nil
}

// openRecording opens a recording; - is standard input.
func openRecording(path string, stdin io.Reader) (*result.RecordingReader, error) {
	if path != "-" {
		return result.OpenRecording(path)
	}
	rr, err := result.NewRecordingReader(stdin)
	if err != nil {
		return nil, &result.ReadError{Name: "standard input", Err: err}
	}
	return rr, nil
}

// labelText writes a label as --label takes it.
func labelText(labels []result.Label) string {
	parts := make([]string, len(labels))
	for i, l := range labels {
		if parts[i] = l.Value; l.Name != "" {
			parts[i] = l.Name + "=" + l.Value
		}
	}
	return strings.Join(parts, ",")
}

// recordingName is a file's name without its endings.
func recordingName(path string) string {
	if path == "-" {
		return "standard input"
	}
	name := filepath.Base(path)
	for _, end := range []string{".gz", ".zst", ".jsonl"} {
		name = strings.TrimSuffix(name, end)
	}
	return name
}

// splitNames splits NAME=FILES, as memtest compare does: a file that is there
// under the whole name is meant first.
func splitNames(args []string) (names, paths []string) {
	for _, a := range args {
		name, path, ok := strings.Cut(a, "=")
		if found, _ := filepath.Glob(a); len(found) > 0 {
			ok = false // a glob with an equals sign in a folder's name
		}
		if _, err := os.Lstat(a); ok && errors.Is(err, os.ErrNotExist) && name != "" && path != "" && !strings.ContainsAny(name, "/*?[") {
			names, paths = append(names, name), append(paths, path)
			continue
		}
		names, paths = append(names, ""), append(paths, a)
	}
	return names, paths
}

// byLabel takes the recordings of each label together, in order of appearance.
func byLabel(all []usage.Labelled) (labels []string, uses map[string][]*usage.Usage) {
	uses = map[string][]*usage.Usage{}
	for _, r := range all {
		if uses[r.Label] == nil {
			labels = append(labels, r.Label)
		}
		uses[r.Label] = append(uses[r.Label], r.Use)
	}
	return labels, uses
}
