package link

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"slices"
	"testing"
)

type vector struct {
	Mode          string
	Key           bytesInHex
	Counter       uint32
	Payload       bytesInHex
	Packet        bytesInHex
	WithExtension bytesInHex `json:"packet_with_extension"`
}

type bytesInHex []byte

func (b *bytesInHex) UnmarshalText(text []byte) (err error) {
	*b, err = hex.DecodeString(string(text))
	return err
}

// vectors are packets that another client has understood.
func vectors(t testing.TB) (all []vector) {
	t.Helper()
	text, err := os.ReadFile("testdata/transport-vectors.json")
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil || len(all) != 2 {
		t.Fatal(err, len(all))
	}
	return all
}

func TestPacketsAreThoseOfOtherClients(t *testing.T) {
	t.Parallel()
	for _, v := range vectors(t) {
		aead, err := newAEAD(v.Mode, v.Key)
		if err != nil {
			t.Fatal(err)
		}
		want := header{sequence: 1, timestamp: 960, ssrc: 0x457}
		if made := appendPacket(nil, aead, v.Counter, want, v.Payload); !bytes.Equal(made, v.Packet) {
			t.Errorf("%s: made %x, want %x", v.Mode, made, v.Packet)
		}
		h, payload, ok := openPacket(aead, v.Packet)
		if !ok || h != want || !bytes.Equal(payload, v.Payload) {
			t.Errorf("%s: opened %+v, %q, %v", v.Mode, h, payload, ok)
		}
		if _, payload, ok = openPacket(aead, v.WithExtension); !ok || !bytes.Equal(payload, v.Payload) {
			t.Errorf("%s: opened %q, %v, with an extension", v.Mode, payload, ok)
		}
	}
}

// packetWith is a packet whose first header byte, and what follows the header unencrypted, are as given.
func packetWith(t *testing.T, first byte, plain, secret []byte) []byte {
	t.Helper()
	v := vectors(t)[0]
	aead, err := newAEAD(v.Mode, v.Key)
	if err != nil {
		t.Fatal(err)
	}
	p := append([]byte{first, voiceType, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3}, plain...)
	nonce := make([]byte, aead.NonceSize())
	return append(aead.Seal(p, nonce, secret, p), nonce[:counterSize]...)
}

func TestReadsAllThatAHeaderMaySay(t *testing.T) {
	t.Parallel()
	v := vectors(t)[0]
	aead, _ := newAEAD(v.Mode, v.Key)
	for _, tt := range []struct {
		name   string
		packet []byte
		want   string
		ok     bool
	}{
		{"as usual", packetWith(t, 0x80, nil, []byte("hi")), "hi", true},
		{"the marker", mark(packetWith(t, 0x80, nil, []byte("hi")), false), "", false}, // changed after it was sealed
		{"two sources", packetWith(t, 0x82, make([]byte, 8), []byte("hi")), "hi", true},
		{"an extension", packetWith(t, 0x90, []byte{0xbe, 0xde, 0, 1}, []byte("ext!hi")), "hi", true},
		{"an extension longer than all", packetWith(t, 0x90, []byte{0xbe, 0xde, 0xff, 0xff}, []byte("ext!hi")), "", false},
		{"an extension that is cut off", []byte{0x90, voiceType, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0xbe}, "", false},
		{"padding", packetWith(t, 0xa0, nil, []byte("hi\x00\x00\x03")), "hi", true},
		{"padding longer than all", packetWith(t, 0xa0, nil, []byte("hi\x04")), "", false},
		{"padding of nothing", packetWith(t, 0xa0, nil, nil), "", false},
		{"another version", packetWith(t, 0x40, nil, []byte("hi")), "", false},
		{"a report", mark(packetWith(t, 0x80, nil, []byte("hi")), true), "", false},
		{"a counter that is cut off", packetWith(t, 0x80, nil, []byte("hi"))[:20], "", false},
		{"nothing", nil, "", false},
	} {
		h, payload, ok := openPacket(aead, tt.packet)
		if ok != tt.ok || string(payload) != tt.want || ok && h != (header{1, 2, 3}) {
			t.Errorf("%s: opened %+v, %q, %v", tt.name, h, payload, ok)
		}
	}
}

// mark changes the second byte of a packet: to that of RTCP, or only its marker bit.
func mark(p []byte, report bool) []byte {
	p = slices.Clone(p)
	if p[1] |= 0x80; report {
		p[1] = 200
	}
	return p
}

func TestRefusesEveryChange(t *testing.T) {
	t.Parallel()
	for _, v := range vectors(t) {
		aead, _ := newAEAD(v.Mode, v.Key)
		for bit := range len(v.Packet) * 8 {
			p := slices.Clone(v.Packet)
			p[bit/8] ^= 1 << (bit % 8)
			if _, payload, ok := openPacket(aead, p); ok {
				t.Errorf("%s: bit %d changed, opened %q", v.Mode, bit, payload)
			}
		}
	}
}

func FuzzOpenPacket(f *testing.F) {
	for _, v := range vectors(f) {
		f.Add([]byte(v.Packet))
		f.Add([]byte(v.WithExtension))
	}
	v := vectors(f)[0]
	aead, _ := newAEAD(v.Mode, v.Key)
	f.Fuzz(func(t *testing.T, p []byte) {
		openPacket(aead, p)
		discovered(p, 1)
	})
}
