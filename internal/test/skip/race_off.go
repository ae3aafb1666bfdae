//go:build !race

package skip

// on is whether the race detector is.
const on = false
