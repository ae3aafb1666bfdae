package calls

import (
	"context"
	"encoding/binary"
	"net/http"

	"github.com/coder/websocket"

	"discoclaw/internal/chat"
	"discoclaw/internal/voice/link"
	"discoclaw/internal/voice/opus"
)

const (
	frameSize = opus.Samples / opus.Channels // samples of a frame of one channel
	heardKept = 50                           // frames that a page may be late
	loud      = 400                          // the highest sample that is silence
	goesOn    = 25                           // silent frames after which somebody has stopped
)

// Sound lets a page hear the bot in the call of a person, and speak there: frames of 20 milliseconds, as samples of 16 bits, little-endian, at
// 48 kHz, of one channel, each in a message of a websocket.
func (c *Calls) Sound(w http.ResponseWriter, r *http.Request, who chat.UserID) {
	p := c.person(who)
	if p == nil {
		http.Error(w, errOutside.Error(), http.StatusConflict)
		return
	}
	ws, err := websocket.Accept(w, r, nil) // which refuses other origins
	if err != nil {
		return
	}
	defer ws.CloseNow()
	heard := make(chan []int16, heardKept)
	p.sendTo(heard)
	defer p.leave(heard)
	ctx, stop := context.WithCancel(r.Context())
	defer stop()
	go func() {
		defer stop()
		p.speak(ctx, ws)
	}()
	for {
		select {
		case pcm := <-heard:
			var data []byte
			for _, sample := range pcm {
				data = binary.LittleEndian.AppendUint16(data, uint16(sample))
			}
			if ws.Write(ctx, websocket.MessageBinary, data) != nil {
				return
			}
		case <-p.ended:
			return
		case <-ctx.Done():
			return
		}
	}
}

// speak says what comes from a microphone.
func (p *person) speak(ctx context.Context, ws *websocket.Conn) {
	coder, err := opus.NewEncoder()
	if err != nil {
		return
	}
	defer p.call.Speaking(false)
	stereo := make([]int16, opus.Samples)
	silent := goesOn
	for {
		_, data, err := ws.Read(ctx)
		if err != nil || len(data) != 2*frameSize {
			return
		}
		silent++
		for i := range frameSize {
			sample := int16(binary.LittleEndian.Uint16(data[2*i:]))
			stereo[2*i], stereo[2*i+1] = sample, sample
			if sample > loud || sample < -loud {
				silent = 0
			}
		}
		said := link.Silence
		switch {
		case silent > goesOn+pause:
			p.call.Speaking(false)
			continue
		case silent <= goesOn:
			p.call.Speaking(true)
			if said, err = coder.Encode(stereo); err != nil {
				continue // a frame is lost
			}
		}
		_ = p.call.Send(said) // as above
	}
}

// sendTo has a page hear what the person hears. Another page does not any more.
func (p *person) sendTo(page chan []int16) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.page = page
}

func (p *person) leave(page chan []int16) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.page == page {
		p.page = nil
	}
}

// passOn gives a page what was heard, unless it is late.
func (p *person) passOn(mono []int16) {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case p.page <- mono:
	default: // or there is no page
	}
}
