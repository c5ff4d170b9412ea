package steady

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"wordsize/internal/result"
)

// worker makes passes at these rates, in GB/s.
func worker(index int, rates []float64) result.Worker {
	w := result.Worker{Index: index, Passes: int64(len(rates)), PassStride: 1, BytesPerPass: 1e8}
	at := 0.0
	for _, r := range rates {
		at += 1e8 / r
		w.PassEndNS = append(w.PassEndNS, int64(at))
	}
	w.EndNS = int64(at)
	// A held pass, however slow, isn't counted.
	w.PassEndNS = append(w.PassEndNS, w.EndNS+1e12)
	return w
}

// passes makes a run of one phase, of so many launches and workers.
func passes(launches, workers, n int, draw func(launch, worker, pass int) float64) *result.Run {
	run := &result.Run{}
	for l := range launches {
		p := result.Phase{Name: result.PhaseParallel}
		for i := range workers {
			rates := make([]float64, n)
			for j := range rates {
				rates[j] = draw(l, i, j)
			}
			p.Workers = append(p.Workers, worker(i, rates))
		}
		run.Launches = append(run.Launches, result.Launch{Phases: []result.Phase{p}})
	}
	return run
}

func codes(ws []result.Warning) (list []string) {
	for _, w := range ws {
		list = append(list, w.Code+" "+w.Phase)
	}
	return list
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-3*math.Abs(b) }

func TestPassWarnings(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 5))
	noise := func() float64 { return 1 + 0.02*rnd.NormFloat64() }
	levels := passes(1, 2, 40, func(_, i, j int) float64 {
		if i == 1 && j >= 10 && j < 26 {
			return 5
		}
		return 10
	})
	ws := Warnings(levels)
	if !slices.Equal(codes(ws), []string{"pass-levels parallel"}) {
		t.Fatalf("%v", codes(ws))
	}
	if v := ws[0].Values; v["worker"] != 1 || v["launch"] != 1 || !near(v["low"], 5e9) || !near(v["high"], 10e9) || v["low_share"] != 0.4 || v["times"] != 1 || v["of"] != 2 {
		t.Errorf("%v", v)
	}
	falling := passes(3, 1, 40, func(l, _, j int) float64 {
		if l == 1 {
			return 10 * (1 - float64(j)/80) * noise()
		}
		return 10 * noise()
	})
	if ws := Warnings(falling); !slices.Equal(codes(ws), []string{"pass-drift parallel"}) || ws[0].Values["launch"] != 2 || ws[0].Values["change"] > -0.3 || ws[0].Values["of"] != 3 {
		t.Errorf("%v", ws)
	}
	stalls := passes(1, 1, 26, func(_, _, j int) float64 {
		if j == 7 {
			return 1
		}
		return 10 * noise()
	})
	ws = Warnings(stalls)
	if !slices.Equal(codes(ws), []string{"pass-outliers parallel"}) || !near(ws[0].Values["share"], 1.0/26) {
		t.Errorf("%v", ws)
	}
	// When the worker had no CPU meanwhile, that is the reason, and told as such.
	w := &stalls.Launches[0].Phases[0].Workers[0]
	cpu := (w.EndNS - w.StartNS) * 3 / 4
	w.CPUNS = &cpu
	if ws := Warnings(stalls); len(ws) != 0 {
		t.Errorf("%v", ws)
	}
}

// One case among many is what noise makes; the same share of a few is told.
func TestFewCasesAmongMany(t *testing.T) {
	stall := func(l, i, j int) float64 {
		if l == 3 && i == 1 && j == 5 {
			return 0.1
		}
		return 10
	}
	if ws := Warnings(passes(15, 2, 20, stall)); len(ws) != 0 {
		t.Errorf("1 of 30: %v", ws)
	}
	if ws := Warnings(passes(5, 2, 20, stall)); len(ws) != 1 || ws[0].Values["launch"] != 4 || ws[0].Values["worker"] != 1 {
		t.Errorf("1 of 10: %v", ws)
	}
}

// Independent noise seldom makes a run of ten launches warn of anything.
func TestQuietRunsAreQuiet(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 9))
	const samples = 300
	warned := 0
	for range samples {
		run := passes(10, 2, 40, func(int, int, int) float64 { return 10 * (1 + 0.05*rnd.NormFloat64()) })
		for l := range run.Launches {
			run.Launches[l].Phases = append(run.Launches[l].Phases, phaseAt(result.PhaseSingle, 1+0.03*rnd.NormFloat64()))
			rate := 1 + 0.03*rnd.NormFloat64()
			run.Launches[l].Phases[0].Summary = &result.PhaseSummary{Aggregate: &rate}
		}
		if len(Warnings(run)) > 0 {
			warned++
		}
	}
	if share := float64(warned) / samples; share > 0.08 {
		t.Errorf("%.3f of the runs warned", share)
	} else {
		t.Logf("%.3f", share)
	}
}

func TestLaunchWarnings(t *testing.T) {
	for name, c := range map[string]struct {
		rates []float64
		want  []string
	}{
		"too few":        {[]float64{10, 10, 10, 10, 1}, nil},
		"steady":         {[]float64{10, 10.1, 9.9, 10, 10.2, 9.8, 10, 10.1, 9.95, 10.05}, nil},
		"one off":        {[]float64{10, 10.1, 9.9, 10, 10.1, 7}, []string{"launch-outliers single"}},
		"off by little":  {[]float64{10, 10.001, 9.999, 10, 10.001, 9.7}, nil},
		"falling":        {[]float64{10, 9.9, 9.8, 9.7, 9.6, 9.5, 9.4, 9.3, 9.2, 9.1}, []string{"launch-drift single"}},
		"falling little": {[]float64{10, 9.99, 9.98, 9.97, 9.96, 9.95, 9.94, 9.93, 9.92, 9.91}, nil},
		"two heaps":      {[]float64{10, 5.1, 10.1, 5, 9.9, 5.05, 10, 4.95, 10.05, 9.95}, []string{"launch-heaps single"}},
	} {
		run := &result.Run{}
		for _, r := range c.rates {
			run.Launches = append(run.Launches, result.Launch{Phases: []result.Phase{phaseAt(result.PhaseSingle, r)}})
		}
		ws := Warnings(run)
		if !slices.Equal(codes(ws), c.want) {
			t.Errorf("%s: %v, want %v", name, codes(ws), c.want)
		}
		if name == "one off" && (ws[0].Values["launch"] != 6 || ws[0].Values["outliers"] != 1 || ws[0].Values["launches"] != 6) {
			t.Errorf("%s: %v", name, ws[0].Values)
		}
	}
}
