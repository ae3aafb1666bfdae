package discord

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

// answerTime is how long Discord gets to answer a small request.
const answerTime = 15 * time.Second

// slowestLine is the speed, in bytes per second, below which an upload is given up.
const slowestLine = 128 << 10

// A payload is the body of a request as it is sent. It is kept in memory so that
// every try sends the same.
type payload struct {
	contentType string
	data        []byte
}

// patience is how long one try with this payload may take.
func (p payload) patience() time.Duration {
	return answerTime + time.Duration(len(p.data)/slowestLine)*time.Second
}

// encode reads the files, none of which may be larger than limit bytes.
func (q request) encode(limit int) (payload, error) {
	if q.body == nil {
		return payload{}, nil
	}
	if len(q.files) == 0 {
		data, err := json.Marshal(q.body)
		return payload{"application/json", data}, err
	}
	files := make([]*discordgo.File, len(q.files))
	for i, f := range q.files {
		data, err := readFile(f, limit)
		if err != nil {
			return payload{}, err
		}
		files[i] = &discordgo.File{Name: headerSafe(f.Name), Reader: bytes.NewReader(data)}
	}
	contentType, data, err := discordgo.MultipartBodyWithJSON(q.body, files)
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

// headerSafe keeps a file's name from ending the header it stands in.
func headerSafe(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return '_'
		}
		return r
	}, name)
}
