//go:build !race

package structures

const raceDetector = false
