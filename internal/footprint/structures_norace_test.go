//go:build !race

package footprint

const raceDetector = false
