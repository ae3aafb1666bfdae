//go:build !race

package racetest

// on is whether the race detector is.
const on = false
