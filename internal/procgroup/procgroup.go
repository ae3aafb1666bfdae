// Package procgroup starts and ends processes together with those that they start themselves.
//
// On Linux a process that was [Set] up is asked to end when the thread ends that has started it. So whoever starts one
// stays on that thread until it is reaped.
package procgroup
