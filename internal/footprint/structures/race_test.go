//go:build race

package structures

// raceDetector says whether the test has it.
const raceDetector = true
