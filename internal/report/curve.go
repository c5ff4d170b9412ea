package report

import (
	"fmt"

	"wordsize/internal/result"
)

// curveWarning returns the sentence of a warning that only curves have.
func curveWarning(w *result.Warning) string {
	v := func(key string) float64 { return w.Values[key] }
	switch w.Code {
	case result.WarnNoHuge:
		return "transparent huge pages are switched off here (/sys/kernel/mm/transparent_hugepage/enabled): what the TLB costs cannot be told apart"
	case result.WarnSomeHuge:
		return fmt.Sprintf("in %g of %g parts the kernel gave no huge pages though they were asked for: these are left out", v("parts"), v("of"))
	}
	return fmt.Sprintf("only %g of %g launches were made: another might have taken the whole beyond its limit of %.4g s (--limit)", v("launches"), v("repeat"), v("limit_ns")/1e9)
}
