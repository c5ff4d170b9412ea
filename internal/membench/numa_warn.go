package membench

import (
	"slices"

	"wordsize/internal/hostinfo"
	"wordsize/internal/result"
)

const (
	maxElsewhere = 0.001 // of the pages asked for on some node; fewer are a page or two of a large sample
	maxUneven    = 0.1   // of a node's fair share of an interleaving
	maxStray     = 0.05  // of the pages that nobody placed, on other nodes than the CPU's
)

// aboutNUMA looks whether memory is where it was asked for or, where nobody
// asked, on the node of the CPU that touched it.
func (ws *warnings) aboutNUMA(phase string, worker int, p *result.NUMAPlacement) {
	if p == nil {
		return
	}
	asked, located := p.Policy != "", float64(p.Located())
	add := func(code, subject, key string, v values) {
		v["worker"] = float64(worker)
		ws.add(result.Warning{Code: code, Phase: phase, Subject: subject, Values: v}, key)
	}
	if located == 0 {
		if asked {
			reason := p.Error
			if reason == "" {
				reason = "none of the pages asked about is in memory"
			}
			add(result.WarnNUMAUnknown, reason, "", values{})
		}
		return
	}
	if asked {
		nodes := hostinfo.FormatCPUList(p.Asked)
		if off := located - float64(p.On(p.Asked...)); off > maxElsewhere*located {
			add(result.WarnMisplaced, nodes, "elsewhere_pages", values{"elsewhere_pages": off, "sampled_pages": located})
		}
		if p.Policy == result.NUMAInterleave {
			fair := located / float64(len(p.Asked))
			for _, n := range p.Asked {
				if on := float64(p.On(n)); on < (1-maxUneven)*fair {
					add(result.WarnNUMAUneven, nodes, "lack", values{"node": float64(n), "pages": on, "fair_pages": fair, "lack": fair - on})
				}
			}
		}
		return
	}
	if p.CPUNode != nil {
		if off := located - float64(p.On(*p.CPUNode)); off > maxStray*located {
			add(result.WarnNUMARemote, "", "elsewhere_pages", values{"node": float64(*p.CPUNode), "elsewhere_pages": off, "sampled_pages": located})
		}
	}
}

// placed drops what does not hold for memory that has a policy: the kernel's
// balancing leaves such mappings alone (task_numa_work and vma_policy_mof in
// kernel/sched/fair.c and mm/mempolicy.c).
func (ws *warnings) placed() {
	ws.list = slices.DeleteFunc(ws.list, func(w result.Warning) bool { return w.Code == result.WarnNUMABalancing })
}
