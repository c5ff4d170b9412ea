package usage

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"wordsize/internal/result"
	"wordsize/internal/stats"
)

// The codes of notes that memtest compare does not have.
const (
	noteLength = "length" // recordings are of different length
	noteOf     = "of"     // which processes count
)

// mostLengths is the ratio of lengths above which groups are not alike.
const mostLengths = 1.10

// hasSaid reports whether the same is said already.
func hasSaid(notes []result.Note, n result.Note) bool {
	return slices.ContainsFunc(notes, func(o result.Note) bool { return o.Code == n.Code && o.Text == n.Text })
}

func (k *comparison) say(code, format string, args ...any) {
	n := result.Note{Code: code, Text: fmt.Sprintf(format, args...)}
	if !hasSaid(k.Notes, n) {
		k.Notes = append(k.Notes, n)
	}
}

// note looks for reasons to doubt the comparison.
func (k *comparison) note() {
	switch k.Of {
	case "watched":
		k.say(noteOf, "of the watched processes alone; --of all counts the command's as well")
	case OfMixed:
		k.say(noteOf, "some recordings are of watched processes alone, the others of all: --of all or --of command counts the same in each")
	}
	k.noteConditions()
	k.noteLengths()
	k.noteFew()
	k.noteBlind()
	k.noteTurns()
	k.noteWarnings()
}

// noteConditions says in what the groups differ besides what is compared.
func (k *comparison) noteConditions() {
	for _, c := range conditions {
		var said []string
		var lists [][]string
		for g := range k.groups {
			var seen []string
			for _, u := range k.groups[g] {
				if v := c.of(&u.Recording); !slices.Contains(seen, v) {
					seen = append(seen, v)
				}
			}
			slices.Sort(seen)
			lists = append(lists, seen)
			said = append(said, fmt.Sprintf("%s in %s", strings.Join(seen, ", "), k.Groups[g].Name))
		}
		same := true
		for _, l := range lists {
			same = same && slices.Equal(l, lists[0]) && len(l) == 1
		}
		if !same {
			k.say(result.NoteDiffers, "they differ in %s: %s", c.name, few(said))
		}
	}
}

// few joins the first words of a list.
func few(list []string) string {
	const most = 4
	if len(list) <= most {
		return strings.Join(list, "; ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(list[:most-1], "; "), len(list)-most+1)
}

func (k *comparison) noteLengths() {
	var lengths []float64
	for g := range k.groups {
		var list []float64
		for _, u := range k.groups[g] {
			list = append(list, float64(u.Recording.ElapsedNS))
		}
		lengths = append(lengths, stats.Median(list))
	}
	shortest, longest := 0, 0
	for g := range lengths {
		if lengths[g] < lengths[shortest] {
			shortest = g
		}
		if lengths[g] > lengths[longest] {
			longest = g
		}
	}
	if lengths[longest] > mostLengths*lengths[shortest] {
		k.say(noteLength, "they are of different length: %s in %s, %s in %s", seconds(int64(lengths[shortest])), k.Groups[shortest].Name, seconds(int64(lengths[longest])), k.Groups[longest].Name)
	}
}

func (k *comparison) noteFew() {
	var short []string
	one := true
	for g := range k.Groups {
		one = one && k.Groups[g].Samples == 1
		if n := k.Groups[g].Samples; n < stats.MinForInterval {
			short = append(short, fmt.Sprintf("%s (n = %d)", k.Groups[g].Name, n))
		}
	}
	switch {
	case one:
		k.say(result.NoteFew, "one recording of each: no intervals and no p-values; record each %d times under one label, in turns, to tell a difference from chance", stats.MinForInterval)
	case len(short) > 0:
		k.say(result.NoteFew, "too few recordings for a 95 %% interval of %s: want %d", few(short), stats.MinForInterval)
	}
}

// noteBlind says when some difference could not be significant, were it ever so
// large, and what it would take.
func (k *comparison) noteBlind() {
	blind := 0
	for _, b := range k.blind {
		if b {
			blind++
		}
	}
	if blind == 0 {
		return
	}
	n := 1
	for stats.LeastP(n, n)*float64(k.Tests) >= stats.Alpha {
		n++
	}
	k.say(result.NoteBlind, "too few recordings for any difference to be significant in %d of %d tests: want %d of each, or fewer metrics (--metric)", blind, k.Tests, n)
}

// noteTurns warns when the recordings of two groups did not take turns.
func (k *comparison) noteTurns() {
	for g := range k.groups {
		if g == k.base || len(k.groups[g]) < 2 || len(k.groups[k.base]) < 2 {
			continue
		}
		type run struct {
			at    int64
			other bool
		}
		var runs []run
		for _, h := range []int{g, k.base} {
			for _, u := range k.groups[h] {
				runs = append(runs, run{u.Recording.Started.UnixNano(), h == g})
			}
		}
		sort.SliceStable(runs, func(a, b int) bool { return runs[a].at < runs[b].at })
		labels := make([]bool, len(runs))
		for i := range runs {
			labels[i] = runs[i].other
		}
		if !stats.Interleaved(labels) {
			k.say(result.NoteTurns, "%s and %s did not take turns: a drift of the host would show as a difference", k.Baseline, k.Groups[g].Name)
		}
	}
}

// noteWarnings passes on what the recordings warn of.
func (k *comparison) noteWarnings() {
	names := map[string][]string{}
	var codes []string
	for g := range k.groups {
		for _, n := range Merge(k.Groups[g].Name, k.groups[g]).Warnings {
			if names[n.Code] == nil {
				codes = append(codes, n.Code)
			}
			if !slices.Contains(names[n.Code], k.Groups[g].Name) {
				names[n.Code] = append(names[n.Code], k.Groups[g].Name)
			}
		}
	}
	slices.Sort(codes)
	for _, code := range codes {
		who := few(names[code])
		if len(names[code]) == len(k.Groups) {
			who = "all"
		}
		k.say(result.NoteDoubted, "recordings of %s carry the warning %s (rsswatch report says more)", who, code)
	}
}
