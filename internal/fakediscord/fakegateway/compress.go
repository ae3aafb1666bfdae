package fakegateway

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
)

// A packer compresses what is sent over a connection, payload by payload, in one stream.
// https://discord.com/developers/docs/events/gateway#transport-compression
type packer interface {
	pack(text []byte) []byte
}

// packers are the transport compressions, by their names in the URL.
var packers = map[string]func() packer{
	"":            func() packer { return nil },
	"zlib-stream": func() packer { return newZlibStream() },
	"zstd-stream": func() packer { return &zstdStream{} },
}

// A zlibStream flushes after each payload, so that it can be read.
type zlibStream struct {
	out bytes.Buffer
	in  *zlib.Writer
}

func newZlibStream() *zlibStream {
	z := &zlibStream{}
	z.in = zlib.NewWriter(&z.out)
	return z
}

func (z *zlibStream) pack(text []byte) []byte {
	_, _ = z.in.Write(text) // into memory, which never fails
	_ = z.in.Flush()
	packed := bytes.Clone(z.out.Bytes())
	z.out.Reset()
	return packed
}

// A zstdStream writes a valid frame of zstd in which nothing is compressed: clients read it like any other, and
// the standard library has no compressor.
// https://www.rfc-editor.org/rfc/rfc8878
type zstdStream struct{ began bool }

const (
	zstdMagic    = 0xFD2FB528
	zstdWindow   = 7 << 3    // an exponent that makes 128 KB
	maxZstdBlock = 128 << 10 // the limit of the format
)

func (z *zstdStream) pack(text []byte) []byte {
	var packed []byte
	if !z.began {
		z.began = true
		packed = append(binary.LittleEndian.AppendUint32(nil, zstdMagic), 0, zstdWindow)
	}
	for len(text) > 0 {
		n := min(len(text), maxZstdBlock)
		header := n << 3 // not the last block, and a raw one
		packed = append(packed, byte(header), byte(header>>8), byte(header>>16))
		packed, text = append(packed, text[:n]...), text[n:]
	}
	return packed
}

// smallPayload is the size up to which payloads stay as they are for a client that asked for compression when it identified. Discord
// does not compress all of them either, and does not say which.
const smallPayload = 1024

// deflated is a payload as a zlib stream of its own.
func deflated(text []byte) []byte {
	var out bytes.Buffer
	in := zlib.NewWriter(&out)
	_, _ = in.Write(text) // into memory, which never fails
	_ = in.Close()
	return out.Bytes()
}
