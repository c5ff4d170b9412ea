package stats

// LeastP returns the smallest two-sided p that the U test can give for
// samples of these sizes: all of one below the other, 2 / C(n+m, n). It is 1
// when one is empty.
func LeastP(n, m int) float64 {
	if n < 1 || m < 1 {
		return 1
	}
	ways := 1.0
	for i := 1; i <= n; i++ {
		ways = ways * float64(m+i) / float64(i)
	}
	return min(1, 2/ways)
}

// LeastN returns the least size of two samples with which so many tests can
// each come out significant after Holm's correction.
func LeastN(tests int) int {
	n := 1
	for LeastP(n, n)*float64(tests) >= Alpha {
		n++
	}
	return n
}
