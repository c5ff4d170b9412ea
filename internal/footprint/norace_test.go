//go:build !race

package footprint

// raceDetector says whether the test has it.
const raceDetector = false
