package dave

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"

	"golang.org/x/crypto/scrypt"
)

// privacyCode is the code that Discord shows to all members of a call.
func privacyCode(authenticator []byte) string { return digits(authenticator, 30) }

// digits has five decimal digits of each five bytes.
func digits(of []byte, n int) string {
	var code strings.Builder
	for i := 0; i < n && i+5 <= len(of); i += 5 {
		group := binary.BigEndian.Uint64(append([]byte{0, 0, 0}, of[i:i+5]...))
		fmt.Fprintf(&code, "%05d", group%100000)
	}
	return code.String()
}

// The salt of fingerprints is the same everywhere.
var fingerprintSalt = []byte{0x24, 0xca, 0xb1, 0x7a, 0x7a, 0xf8, 0xec, 0x2b, 0x82, 0xb4, 0x12, 0xb9, 0x2d, 0xab, 0x19, 0x2e}

// PairwiseCode returns the 45 digits by which two members can tell that nobody is between them: they see the same ones. It takes a while.
func PairwiseCode(a, b Member) (string, error) {
	print, err := fingerprint(a, b)
	return digits(print, 45), err
}

func fingerprint(a, b Member) ([]byte, error) {
	first, second := fingerprintInput(a), fingerprintInput(b)
	if bytes.Compare(first, second) > 0 {
		first, second = second, first
	}
	return scrypt.Key(append(first, second...), fingerprintSalt, 1<<14, 8, 2, 64)
}

func fingerprintInput(m Member) []byte {
	in := append([]byte{0, 0}, m.Key...) // version 0
	return binary.BigEndian.AppendUint64(in, m.User)
}
