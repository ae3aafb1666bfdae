package calls

import (
	"context"
	"sync"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/sleep"
	"discoclaw/internal/voice/link"
	"discoclaw/internal/voice/opus"
	"discoclaw/internal/voice/tones"
)

const (
	frameTime = 20 * time.Millisecond
	// pause is how many frames of silence end what is said, as Discord wants it.
	pause = 5
	// quiet is how long the bot is not heard until it has stopped.
	quiet = 400 * time.Millisecond
)

// A person is somebody's client in a call.
type person struct {
	calls *Calls
	pass  fakediscord.VoicePass
	call  *link.Call
	bot   uint64
	ended chan struct{} // closed when nothing is heard any more

	speaking sync.Mutex // nobody says two things at a time

	mu   sync.Mutex
	page chan []int16 // gets what is heard; nil for none
}

// Say has a person say a text. It returns when they have said it.
func (c *Calls) Say(ctx context.Context, who chat.UserID, words string) error {
	p, err := c.ready(ctx, who)
	if err != nil {
		return err
	}
	id := c.texts.add(words, spokenRepeats)
	frames, err := tones.Frames(repeated(id, spokenRepeats))
	if err != nil {
		return err
	}
	c.line(Line{Channel: p.pass.Channel, ID: id, By: who, Text: words, Over: true})
	p.speaking.Lock()
	defer p.speaking.Unlock()
	p.call.Speaking(true)
	defer p.call.Speaking(false)
	for range pause {
		frames = append(frames, link.Silence)
	}
	pace := time.NewTicker(frameTime)
	defer pace.Stop()
	for _, frame := range frames {
		select {
		case <-pace.C:
			_ = p.call.Send(frame) // one that cannot be sent is lost, as in any call
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// listen hears the bot until the call is over.
func (p *person) listen() {
	defer sleep.Wake(p.calls.changed)
	defer close(p.ended)
	decoder, err := opus.NewDecoder()
	if err != nil {
		return // there is no memory
	}
	stopped := time.NewTimer(quiet)
	defer stopped.Stop()
	var h hearing
	for {
		select {
		case f, open := <-p.call.Frames():
			switch {
			case !open:
				p.over(h)
				return
			case f.User != p.bot:
				continue
			}
			stopped.Reset(quiet)
			if pcm, err := decoder.Decode(f.Opus); err == nil {
				mono := tones.Left(pcm)
				h = p.hear(h, mono)
				p.passOn(mono)
			}
		case <-stopped.C:
			p.over(h)
			h = hearing{}
		}
	}
}

// gone reports whether the call is over by itself.
func (p *person) gone() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// A hearing is what is heard of the bot without a pause.
type hearing struct {
	ear   *tones.Ear
	words int    // that were dealt with
	id    string // of the text; empty before the first one
	times int    // that it was heard
}

func (p *person) hear(h hearing, mono []int16) hearing {
	if h.ear == nil {
		h.ear = tones.NewEar(opus.Rate)
	}
	h.ear.Hear(mono)
	all := h.ear.Words()
	for ; h.words < len(all); h.words++ {
		id := all[h.words].Text
		if len(id) < idLength && h.words == len(all)-1 {
			break // it is still being said
		}
		if id == h.id {
			h.times++
			continue
		}
		if _, known := p.calls.texts.find(id); !known {
			continue // it was cut, or somebody's own voice
		}
		p.over(h)
		h.id, h.times = id, 1
		if t, first := p.calls.texts.begin(id); first {
			p.calls.line(p.lineOf(id, t))
		}
	}
	return h
}

// over tells that a text is not heard any more.
func (p *person) over(h hearing) {
	if h.id == "" {
		return
	}
	if t, first := p.calls.texts.end(h.id); first {
		l := p.lineOf(h.id, t)
		l.Over, l.Cut = true, h.times+1 < t.repeats // a repetition may be lost on the way
		p.calls.line(l)
	}
}

func (p *person) lineOf(id string, t text) Line {
	bot, _ := p.calls.world.Member("bot")
	return Line{Channel: p.pass.Channel, ID: id, By: bot.ID, Text: t.words}
}
