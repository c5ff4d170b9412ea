package report

import "wordsize/internal/result"

type group = result.Group

func groupNone(*WatchContext, *group) byte { return markNone }

// groupUnread is the mark for sums without a single known member.
func groupUnread(_ *WatchContext, g *group) byte {
	if g.PSSMissing > 0 {
		return markRefused
	}
	return markNone
}

// GroupColumns lists all columns of group rows.
var GroupColumns = []GroupColumn{
	intColumn("PROCS", "processes", "number of processes",
		func(_ *WatchContext, g *group) result.Bytes { return result.Some(int64(g.Processes)) }, groupNone, showInt),
	intColumn("THR", "threads", "number of threads",
		func(_ *WatchContext, g *group) result.Bytes { return g.Threads }, groupNone, showInt),
	sizeColumn("VIRT", "virt_bytes", "address space, summed",
		func(_ *WatchContext, g *group) result.Bytes { return g.Virtual }, groupUnread, nil),
	sizeColumn("RES", "res_bytes", "resident, summed: shared pages count once per process",
		func(_ *WatchContext, g *group) result.Bytes { return g.Resident }, groupUnread, nil),
	groupPSS(),
	sizeColumn("USS", "uss_bytes", "unique, summed over members whose PSS was read",
		func(_ *WatchContext, g *group) result.Bytes { return g.USS }, groupUnread, nil),
	sizeColumn("SWAP", "swap_bytes", "swapped out, shared pages counted once where PSS was read",
		func(_ *WatchContext, g *group) result.Bytes { return g.Swap }, groupNone, nil),
	sizeColumn("HUGE", "hugetlb_bytes", "HugeTLB pages: outside RES and PSS; shared ones count once per process",
		func(_ *WatchContext, g *group) result.Bytes { return g.HugeTLB }, groupNone, nil),
	sizeColumn("MIN", "res_min_bytes", "smallest RES of a member",
		func(_ *WatchContext, g *group) result.Bytes { return g.MinRES }, groupNone, nil),
	sizeColumn("AVG", "res_avg_bytes", "mean RES of the members with memory",
		func(_ *WatchContext, g *group) result.Bytes {
			if g.WithRES == 0 {
				return result.Bytes{}
			}
			return result.Some(g.Resident.Value / int64(g.WithRES))
		}, groupNone, nil),
	sizeColumn("MAX", "res_max_bytes", "largest RES of a member",
		func(_ *WatchContext, g *group) result.Bytes { return g.MaxRES }, groupNone, nil),
	percentColumn("%CPU", "cpu_percent", "CPU since the previous tick, summed; 100 is one CPU",
		func(_ *WatchContext, g *group) result.Float { return g.CPUPercent }, func(*WatchContext, *group) byte { return 0 }),
	percentColumn("%MEM", "mem_percent", "PSS as a share of RAM", func(c *WatchContext, g *group) result.Float {
		if !g.PSS.Known || c.MemoryTotal <= 0 {
			return result.Float{}
		}
		return result.Some(100 * float64(g.PSS.Value) / float64(c.MemoryTotal))
	}, groupNone),
	intColumn("TIME+", "cpu_ns", "CPU time of the living members since their starts",
		func(_ *WatchContext, g *group) result.Bytes { return g.CPUNS }, groupNone, showCPUTime),
	intColumn("NOPSS", "processes_without_pss", "members whose PSS is not known: PSS is an estimate then, marked ~",
		func(_ *WatchContext, g *group) result.Bytes { return result.Some(int64(g.PSSMissing)) }, groupNone, showInt),
	groupWhatIf(), groupWhatIfEnd(whatIfLowName), groupWhatIfEnd(whatIfHighName), groupWhatIfMissing(),
	growing(textColumn("GROUP", "group", "what the members have in common", 0,
		func(g *group) string { return string(g.Name) }, func(*group) byte { return markNone })),
}

// groupPSS is the sum of PSS with its marks: ~ estimate, ! kernel's figure
// too low, and the age of the oldest part.
func groupPSS() GroupColumn {
	return sizeColumn("PSS", "pss_bytes", "proportional, summed: shared pages count once",
		func(_ *WatchContext, g *group) result.Bytes { return g.PSS }, groupUnread,
		func(g *group, dst []byte) []byte {
			if g.PSSDoubt > 0 {
				dst = append(dst, '!')
			}
			if g.PSSMissing > 0 {
				dst = append(dst, '~')
			}
			return appendAge(dst, g.PSSAgeNS)
		})
}
