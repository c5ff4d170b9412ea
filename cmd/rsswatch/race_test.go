//go:build race

package main

// raceBuild: the race detector gives every process shadow memory, which nothing
// can be said of.
const raceBuild = true
