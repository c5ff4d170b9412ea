package procstat

import (
	"regexp"
	"strings"
)

// Selection says which processes are wanted. Its parts must all hold; within
// a part any one member is enough. An empty part holds for all.
type Selection struct {
	Patterns []*regexp.Regexp // match the title, or comm where the title is empty
	PIDs     []int32
	UIDs     []uint32
	Trees    []int32        // these processes and all their descendants
	Cgroup   string         // this group and all below it
	Filter   *regexp.Regexp // as Patterns, and must match too; nil for none
	// Self is a process that patterns do not match unless it is named in PIDs:
	// rsswatch itself, whose command line holds the patterns. 0 for none.
	Self   int32
	MinRSS int64 // bytes; a process whose Resident is unknown or absent has less
}

// Needs returns the second-tier fields that must be read for every process
// before Pick can decide.
func (s *Selection) Needs() Fields {
	var f Fields
	if len(s.Patterns) > 0 || s.Filter != nil {
		f |= HasTitle
	}
	if s.Cgroup != "" {
		f |= HasCgroup
	}
	return f
}

// All reports whether nothing is selected away.
func (s *Selection) All() bool {
	return len(s.Patterns)+len(s.PIDs)+len(s.UIDs)+len(s.Trees) == 0 && s.Cgroup == "" && s.Filter == nil && s.MinRSS <= 0
}

// LeavesOut reports whether p is left out only because it is Self.
func (s *Selection) LeavesOut(p *Proc) bool {
	return s.Self != 0 && p.PID == s.Self && !has(s.PIDs, p.PID) && len(s.Patterns) > 0 && s.matchPatterns(p)
}

// Pick appends the selected processes of a snapshot to dst.
func (s *Selection) Pick(snap *Snapshot, dst []*Proc) []*Proc {
	if len(s.Trees) > 0 {
		markTrees(snap, s.Trees)
	}
	for _, p := range snap.Procs {
		if s.match(p, snap.Number) {
			dst = append(dst, p)
		}
	}
	return dst
}

func (s *Selection) match(p *Proc, number uint64) bool {
	switch {
	case len(s.PIDs) > 0 && !has(s.PIDs, p.PID),
		len(s.UIDs) > 0 && (p.Have&HasUID == 0 || !has(s.UIDs, p.UID)),
		len(s.Trees) > 0 && p.inTree != number,
		s.Cgroup != "" && !inCgroup(p, s.Cgroup),
		s.Filter != nil && !s.Filter.MatchString(p.MatchText()),
		s.MinRSS > 0 && (p.Have&HasMemory == 0 || p.Resident < s.MinRSS):
		return false
	}
	return len(s.Patterns) == 0 || s.matchPatterns(p) && !s.LeavesOut(p)
}

func (s *Selection) matchPatterns(p *Proc) bool {
	for _, re := range s.Patterns {
		if re.MatchString(p.MatchText()) {
			return true
		}
	}
	return false
}

func has[T comparable](list []T, v T) bool {
	for _, x := range list {
		if x == v {
			return true
		}
	}
	return false
}

func inCgroup(p *Proc, path string) bool {
	if p.Detail.Have&HasCgroup == 0 {
		return false
	}
	rest, ok := strings.CutPrefix(p.Detail.Cgroup, strings.TrimSuffix(path, "/"))
	return ok && (rest == "" || rest[0] == '/')
}

// orphanOf says whether a process belongs to a group or session that a member
// of the tree leads, and was adopted: by init or by whoever else its parent is
// now. A sibling of the leader, as in a pipeline, is none of its descendants.
func orphanOf(p *Proc, leaderPID int32, byPID map[int32]*Proc, now uint64) bool {
	leader := byPID[leaderPID]
	return leader != nil && leader != p && leader.inTree == now && leader.Start <= p.Start &&
		(p.PPID == 1 || p.PPID != leader.PPID)
}

// markTrees marks the roots and all their descendants. A process once marked
// stays so when its parent dies and init adopts it. A process whose parent
// died before any tick saw it is recognised where it is still in a process
// group or session that a member leads.
func markTrees(snap *Snapshot, roots []int32) {
	now := snap.Number
	byPID := make(map[int32]*Proc, len(snap.Procs))
	for _, p := range snap.Procs {
		byPID[p.PID] = p
		if has(roots, p.PID) && now == 1 || p.inTree == now-1 && p.inTree != 0 {
			p.inTree = now
		}
	}
	for changed := true; changed; {
		changed = false
		for _, p := range snap.Procs {
			if p.inTree == now || p.Have&HasStat == 0 {
				continue
			}
			if parent := byPID[p.PPID]; parent != nil && parent.inTree == now && parent.Start <= p.Start {
				p.inTree, changed = now, true
				continue
			}
			if orphanOf(p, p.PGRP, byPID, now) || orphanOf(p, p.Session, byPID, now) {
				p.inTree, changed = now, true
			}
		}
	}
}
