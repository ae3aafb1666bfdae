//go:build !unix

package tools

const nonBlocking = 0
