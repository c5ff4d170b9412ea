package result

// Codes of the warnings of a memtest record. docs/schema.md lists each with
// its values, docs/method.md explains what to do about it; package report
// has the sentences.
const (
	WarnCacheSized     = "cache-sized"    // chunk below a multiple of the last-level cache
	WarnCacheUnknown   = "cache-unknown"  // that cache's size is not known
	WarnOversubscribed = "oversubscribed" // more processes than allowed CPUs
	WarnCPUQuota       = "cpu-quota"      // the cgroup allows fewer CPUs than there are processes
	WarnGovernor       = "governor"       // frequency governor other than performance
	WarnNUMABalancing  = "numa-balancing" // the kernel may move pages during the run
	WarnNotVerified    = "not-verified"   // --no-verify
	WarnStalled        = "stalled"        // a worker did not get its CPU all of the time
	WarnSharedCPU      = "shared-cpu"     // workers on one CPU though there are others
	WarnPurego         = "purego"         // built without assembly
	WarnFaults         = "timed-faults"   // page faults inside timed passes
	WarnNotResident    = "not-resident"   // chunk not all in memory before timing
	WarnNotHuge        = "not-huge"       // huge pages asked for and not got
	WarnPieces         = "in-pieces"      // chunk in several mappings
	WarnSteal          = "steal"          // CPU time taken by the hypervisor
	WarnThrottled      = "throttled"      // by the cgroup's CPU quota
	WarnThermal        = "thermal"        // CPU throttled by heat
	WarnHighUnused     = "high-unused"    // on a HIGHMEM kernel: too little memory to be sure that HIGHMEM was in play
	WarnEmulated       = "emulated"       // the machine is emulated in software
	WarnNoWindow       = "no-window"      // workers never all ran at once
	WarnShortWindow    = "short-window"   // too little time to measure in
	WarnStartSkew      = "start-skew"     // workers did not start together

	// Of where memory lies.
	WarnMisplaced   = "misplaced"    // pages on other nodes than --numa asked for
	WarnNUMAUneven  = "numa-uneven"  // a node has less than its share of an interleaving
	WarnNUMAUnknown = "numa-unknown" // --numa was asked for, and move_pages does not tell where the pages are
	WarnNUMARemote  = "numa-remote"  // memory that nobody placed is partly on other nodes than its worker's CPU

	// How steady the launches were, and the passes of a worker.
	WarnUntil          = "until-not-reached" // --until: the interval of the median stayed wider
	WarnLaunchDrift    = "launch-drift"      // launches rise or fall in order of time
	WarnLaunchHeaps    = "launch-heaps"      // launches fall into two heaps
	WarnLaunchOutliers = "launch-outliers"   // launches far from the others
	WarnPassDrift      = "pass-drift"        // passes rise or fall from the first to the last quarter
	WarnPassLevels     = "pass-levels"       // passes are at two levels
	WarnPassOutliers   = "pass-outliers"     // passes at less than half of the median rate cost time

	// Of a footprint record.
	WarnNoResident = "no-resident" // this system's resident sizes are not read
	WarnStatm      = "statm"       // resident sizes from statm, which is off by some pages
	WarnHugeOn     = "huge-on"     // transparent huge pages could not be switched off
	WarnSwapped    = "swapped"     // part of a process was in swap space
	WarnUserMode   = "user-mode"   // an emulator of user mode: its own memory is in the resident sizes

	// Of the record of a curve.
	WarnTimeLimit = "time-limit" // fewer launches than asked for: the limit came
	WarnNoHuge    = "no-huge"    // transparent huge pages are switched off: the TLB's cost cannot be told apart
	WarnSomeHuge  = "some-huge"  // not all that was to lie in huge pages did

	// Of a chase record.
	WarnCurveCached   = "curve-cached"   // the longest list is below a multiple of the last-level cache
	WarnCurveUnknown  = "curve-unknown"  // that cache's size is not known
	WarnLaunchStalled = "launch-stalled" // a launch did not get its CPU all of the time
)
