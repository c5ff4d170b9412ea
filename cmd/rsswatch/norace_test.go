//go:build !race

package main

// raceDetector says whether the test has it.
const raceDetector = false
