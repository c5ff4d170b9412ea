package compare

import (
	"fmt"
	"strconv"
	"strings"
)

// ParsePercent reads a share such as 5% or 2.5, and returns it in percent,
// from 0 to 100.
func ParsePercent(s string) (float64, error) {
	v, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(s), "%")), 64)
	if err != nil || !(v >= 0 && v <= 100) {
		return 0, fmt.Errorf("%q is not right: want a percentage such as 5%%", s)
	}
	return v, nil
}
