package dave

import "errors"

// What Seal and Open fail with.
var (
	ErrNotReady      = errors.New("there is no key to encrypt with yet")
	ErrPlain         = errors.New("the frame is not encrypted")
	ErrReplayed      = errors.New("the frame came before")
	ErrUndecryptable = errors.New("the frame cannot be decrypted")
)

// Silence is the Opus frame of 20 milliseconds of silence. It is never encrypted.
var Silence = []byte{0xf8, 0xff, 0xfe}
