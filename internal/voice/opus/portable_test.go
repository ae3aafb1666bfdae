//go:build !cgo || !(amd64 || 386)

package opus

// coders opens the coders that there are in this build.
var coders = map[string]func() (encoder, decoder, error){"pure": ofThisBuild}
