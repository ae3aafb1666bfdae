package speech

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/coder/websocket"

	"discoclaw/internal/voice/pcm"
)

// cartesia is the vendor of that name; see https://docs.cartesia.ai/api-reference/tts/websocket.
type cartesia struct {
	o    Options
	http *http.Client
}

const (
	cartesiaVersion = "2025-04-16" // of the API

	maxMessage = 4 << 20 // one with 48 kHz of it has half a minute
	fileRate   = 24000   // so that a recording of MaxText is small enough for Discord
)

// file has a WAV file made here, since there are only samples.
func (v cartesia) file(ctx context.Context, text string) (io.ReadCloser, error) {
	samples, err := v.ask(ctx, text, fileRate)
	if err != nil {
		return nil, err
	}
	defer samples.Close()
	data, err := io.ReadAll(io.LimitReader(samples, maxBytes+1))
	if err != nil {
		return nil, err
	}
	return io.NopCloser(io.MultiReader(bytes.NewReader(wavHeader(len(data), fileRate)), bytes.NewReader(data))), nil
}

// wavHeader begins a WAV file of samples of 16 bits of one channel.
func wavHeader(size, rate int) []byte {
	h := binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(36+size))
	h = append(h, "WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00"...) // 16 bytes follow; PCM; one channel
	h = binary.LittleEndian.AppendUint32(h, uint32(rate))
	h = binary.LittleEndian.AppendUint32(h, uint32(2*rate))
	h = append(h, "\x02\x00\x10\x00data"...) // bytes and bits of a sample
	return binary.LittleEndian.AppendUint32(h, uint32(size))
}

func (v cartesia) sound(ctx context.Context, text string) (io.ReadCloser, int, error) {
	body, err := v.ask(ctx, text, pcm.Rate)
	return body, pcm.Rate, err
}

type cartesiaRequest struct {
	Context    string            `json:"context_id"`
	Model      string            `json:"model_id"`
	Transcript string            `json:"transcript"`
	Voice      map[string]string `json:"voice"`
	Output     cartesiaOutput    `json:"output_format"`
	How        *cartesiaHow      `json:"generation_config,omitempty"`
}

type cartesiaOutput struct {
	Container string `json:"container"`
	Encoding  string `json:"encoding"`
	Rate      int    `json:"sample_rate"`
}

type cartesiaHow struct {
	Speed float64 `json:"speed"`
}

func (v cartesia) ask(ctx context.Context, text string, rate int) (io.ReadCloser, error) {
	ws, refused, err := websocket.Dial(ctx, v.o.BaseURL+"/tts/websocket?cartesia_version="+cartesiaVersion, &websocket.DialOptions{
		HTTPClient: v.http, HTTPHeader: http.Header{"X-API-Key": {v.o.Key}},
	})
	switch {
	case err != nil && refused != nil && refused.StatusCode >= http.StatusBadRequest:
		return nil, refusal(refused.StatusCode)
	case err != nil:
		return nil, fmt.Errorf("connect to the server for speech: %w", err)
	}
	ws.SetReadLimit(maxMessage)
	request := cartesiaRequest{
		Context: rand.Text(), Model: v.o.Model, Transcript: text,
		Voice: map[string]string{"mode": "id", "id": v.o.Voice}, Output: cartesiaOutput{"raw", "pcm_s16le", rate},
	}
	if v.o.Speed != 0 {
		request.How = &cartesiaHow{v.o.Speed}
	}
	body, err := json.Marshal(request)
	if err == nil {
		err = ws.Write(ctx, websocket.MessageText, body)
	}
	if err != nil {
		_ = ws.CloseNow() // the first error is the one to tell
		return nil, fmt.Errorf("ask for speech: %w", err)
	}
	return &cartesiaSound{receive: func() ([]byte, error) {
		_, message, err := ws.Read(ctx)
		return message, err
	}, end: ws.CloseNow}, nil
}

// cartesiaSound is the sound in the messages of a websocket.
type cartesiaSound struct {
	receive func() ([]byte, error)
	end     func() error
	rest    []byte
	done    bool
}

func (s *cartesiaSound) Read(p []byte) (int, error) {
	for len(s.rest) == 0 {
		if s.done {
			return 0, io.EOF
		}
		message, err := s.receive()
		if err != nil {
			return 0, fmt.Errorf("receive speech: %w", err)
		}
		var in struct {
			Data   []byte          `json:"data"`
			Done   bool            `json:"done"`
			Status int             `json:"status_code"`
			Error  json.RawMessage `json:"error"`
		}
		switch err := json.Unmarshal(message, &in); {
		case err != nil:
			return 0, errors.New("a message of the server for speech cannot be read")
		case in.Status >= http.StatusBadRequest:
			return 0, refusal(in.Status)
		case len(in.Error) > 0 && string(in.Error) != "null":
			return 0, refusal(http.StatusInternalServerError)
		}
		s.rest, s.done = in.Data, in.Done
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

func (s *cartesiaSound) Close() error { return s.end() }
