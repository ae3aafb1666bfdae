//go:build !cgo || !(amd64 || 386)

package opus

import "discoclaw/internal/voice/opus/pure"

func newEncoder() (encoder, error) { return pure.NewEncoder() }

func newDecoder() (decoder, error) { return pure.NewDecoder() }
