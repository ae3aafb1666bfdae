package rest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"

	"github.com/bwmarrin/discordgo"

	"discoclaw/internal/chat"
)

// AnswerTime is the timeout of a small request.
const AnswerTime = 15 * time.Second

// slowestLine is the speed, in bytes per second, below which an upload times out.
const slowestLine = 128 << 10

// A payload is the encoded body of a request. It is kept in memory so that every attempt sends
// the same.
type payload struct {
	contentType string
	data        []byte
}

// timeout bounds one attempt with this payload.
func (p payload) timeout() time.Duration {
	return AnswerTime + time.Duration(len(p.data)/slowestLine)*time.Second
}

// encode reads the files, none of which may be larger than limit bytes.
func (q Request) encode(limit int) (payload, error) {
	if q.Body == nil {
		return payload{}, nil
	}
	if len(q.Files) == 0 {
		data, err := json.Marshal(q.Body)
		return payload{"application/json", data}, err
	}
	files := make([]*discordgo.File, len(q.Files))
	for i, f := range q.Files {
		data, err := readFile(f, limit)
		if err != nil {
			return payload{}, err
		}
		files[i] = &discordgo.File{Name: FileName(f.Name), ContentType: f.Type, Reader: bytes.NewReader(data)}
	}
	contentType, data, err := discordgo.MultipartBodyWithJSON(q.Body, files)
	return payload{contentType, data}, err
}

func readFile(f chat.File, limit int) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", f.Name, err)
	}
	defer r.Close() // only read
	data, err := io.ReadAll(io.LimitReader(r, int64(limit)+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", f.Name, err)
	}
	if len(data) > limit {
		return nil, fmt.Errorf("%s is larger than the %d MiB that Discord takes on this server; send a smaller file or a link", f.Name, limit>>20)
	}
	return data, nil
}

// FileName returns the name under which a file is sent. It cannot break out of its header.
func FileName(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return '_'
		}
		return r
	}, name)
}
