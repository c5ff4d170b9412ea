package procstat

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"wordsize/internal/result"
)

// GroupBy says what the members of a group have in common.
type GroupBy string

// The kinds of groups.
const (
	ByProgram GroupBy = "program" // name of the program
	ByCommand GroupBy = "cmd"     // whole title
	ByUser    GroupBy = "user"
	ByCgroup  GroupBy = "cgroup"
	ByTree    GroupBy = "tree"  // topmost ancestor below init
	ByRegexp  GroupBy = "regex" // first submatch, or match, of the selection's patterns
)

// GroupKinds lists all kinds.
var GroupKinds = []GroupBy{ByProgram, ByCommand, ByUser, ByCgroup, ByTree, ByRegexp}

// Needs returns the second-tier fields, without PSS, that grouping reads.
func (g GroupBy) Needs() Fields {
	switch g {
	case ByUser:
		return 0
	case ByCgroup:
		return HasCgroup
	}
	return HasTitle
}

// Grouper sums processes.
type Grouper struct {
	By       GroupBy
	Patterns []*regexp.Regexp    // for ByRegexp
	UserName func(uint32) string // for ByUser
	// CPUScale is what a share of one CPU is multiplied by to give percent.
	CPUScale float64
	WhatIf   bool // sum the estimates for the other word size
}

// sum is a group in the making.
type sum struct {
	result.Group
	noPSSPrivate int64 // RES beyond SHR of members without PSS
	noPSSShared  int64 // largest SHR among them
}

// Group returns the groups of procs, in no order, and the sum over all.
// now is the tick's Mono, snap the snapshot that procs are from.
func (g *Grouper) Group(snap *Snapshot, procs []*Proc) (groups []*result.Group, total *result.Group) {
	byKey := map[string]*sum{}
	var order []*sum
	all := sum{Group: result.Group{Name: "TOTAL"}}
	top := map[int32]*Proc(nil)
	if g.By == ByTree {
		top = topmost(snap)
	}
	for _, p := range procs {
		key := g.key(p, top)
		s := byKey[key]
		if s == nil {
			s = &sum{Group: result.Group{Name: result.RawText(key)}}
			byKey[key] = s
			order = append(order, s)
		}
		for _, t := range [...]*sum{s, &all} {
			t.add(p, snap.Tick.Mono, g.CPUScale)
			if g.WhatIf {
				t.addWhatIf(p, snap.Tick.Mono)
			}
		}
	}
	for _, s := range order {
		s.finish()
		groups = append(groups, &s.Group)
	}
	all.finish()
	return groups, &all.Group
}

func (g *Grouper) key(p *Proc, top map[int32]*Proc) string {
	switch g.By {
	case ByCommand:
		return p.DisplayTitle()
	case ByUser:
		if p.Have&HasUID == 0 {
			return "?"
		}
		return g.UserName(p.UID)
	case ByCgroup:
		if p.Detail.Have&HasCgroup == 0 {
			return "?"
		}
		return p.Detail.Cgroup
	case ByTree:
		if t := top[p.PID]; t != nil {
			return fmt.Sprintf("%s (%d)", t.Program(), t.PID)
		}
		return "?"
	case ByRegexp:
		return g.submatch(p.MatchText())
	}
	return p.Program()
}

func (g *Grouper) submatch(text string) string {
	for _, re := range g.Patterns {
		m := re.FindStringSubmatch(text)
		switch {
		case len(m) > 1 && m[1] != "":
			return m[1]
		case len(m) > 0:
			return m[0]
		}
	}
	return "(no match)"
}

// topmost maps every PID to its topmost ancestor below init.
func topmost(snap *Snapshot) map[int32]*Proc {
	byPID := make(map[int32]*Proc, len(snap.Procs))
	for _, p := range snap.Procs {
		byPID[p.PID] = p
	}
	top := make(map[int32]*Proc, len(snap.Procs))
	for _, p := range snap.Procs {
		t := p
		// A depth limit, since parents are read one after the other and may
		// seem to form a circle when PIDs are reused meanwhile.
		for range 1000 {
			up := byPID[t.PPID]
			if t.PPID <= 1 || up == nil || t.Have&HasStat == 0 {
				break
			}
			t = up
		}
		top[p.PID] = t
	}
	return top
}

// add adds one member.
func (s *sum) add(p *Proc, now time.Duration, cpuScale float64) {
	s.Processes++
	if p.Have&HasStat != 0 && p.Threads != unknown {
		accumulate(&s.Threads, int64(p.Threads))
	}
	if p.Have&HasCPU != 0 {
		accumulate(&s.CPUNS, int64(p.Counters.User+p.Counters.System))
	}
	if share, ok := p.CPU(); ok {
		s.CPUPercent.Value += share * cpuScale
		s.CPUPercent.Known = true
	}
	if !p.Own() || p.Have&HasMemory == 0 {
		if p.Have&HasStat == 0 || p.Own() {
			s.PSSMissing++
		}
		return
	}
	s.WithRES++
	accumulate(&s.Virtual, p.Virtual)
	accumulate(&s.Resident, p.Resident)
	s.MaxRES = result.Some(max(s.MaxRES.Value, p.Resident))
	if !s.MinRES.Known || p.Resident < s.MinRES.Value {
		s.MinRES = result.Some(p.Resident)
	}
	d := &p.Detail
	if d.Have&HasSmaps == 0 {
		s.addWithoutPSS(p)
		return
	}
	s.WithPSS++
	m := &d.Smaps
	accumulate(&s.PSS, m.PSS)
	accumulate(&s.USS, m.USS())
	accumulate(&s.HugeTLB, m.PrivateHuge+m.SharedHuge)
	if m.SwapPSS.Known {
		accumulate(&s.Swap, m.SwapPSS.Value)
	} else {
		accumulate(&s.Swap, m.Swap)
	}
	if m.Doubtful() {
		s.PSSDoubt++
	}
	if age := now - d.SmapsAt; age > 0 && int64(age) > s.PSSAgeNS.Value {
		s.PSSAgeNS = result.Some(int64(age))
	}
}

func (s *sum) addWithoutPSS(p *Proc) {
	s.PSSMissing++
	if p.Have&HasShared != 0 {
		s.noPSSPrivate += max(0, p.Resident-p.Shared)
		s.noPSSShared = max(s.noPSSShared, p.Shared)
	}
	if p.Detail.Have&HasStatus != 0 && p.Detail.Status.Swap.Known {
		accumulate(&s.Swap, p.Detail.Status.Swap.Value)
	}
}

// finish completes PSS by the estimate for members without one.
func (s *sum) finish() {
	if s.WithRES > s.WithPSS {
		accumulate(&s.PSS, s.noPSSPrivate+s.noPSSShared)
	}
}

func accumulate(dst *result.Bytes, v int64) {
	dst.Value += v
	dst.Known = true
}

// ParseGroupBy checks the name of a kind of group.
func ParseGroupBy(name string) (GroupBy, error) {
	if g := GroupBy(name); slices.Contains(GroupKinds, g) {
		return g, nil
	}
	names := make([]string, len(GroupKinds))
	for i, g := range GroupKinds {
		names[i] = string(g)
	}
	return "", fmt.Errorf("unknown kind of group %s: use one of %s", strconv.Quote(name), strings.Join(names, ", "))
}
