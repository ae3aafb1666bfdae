package foreign

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"discoclaw/internal/fakediscord/fakevoice"
	"discoclaw/internal/voice/dave"
	"discoclaw/internal/voice/link"
)

// joinOurs has our own client enter the call, as one of its members. What it hears is an event like those of the program.
func (c *call) joinOurs(t fakevoice.Ticket, client *http.Client) {
	c.Helper()
	id, err := dave.NewIdentity()
	if err != nil {
		c.Fatal(err)
	}
	at := link.Server{Endpoint: c.endpoint, Token: t.Token, Session: t.Session, Guild: t.Guild, Channel: t.Channel, Self: t.User}
	ours, err := link.Dial(c.ctx, at, link.Options{Identity: id, HTTP: client})
	if err != nil {
		c.Fatal(err)
	}
	c.ours = ours
	done := make(chan struct{})
	go func() {
		defer close(done)
		for f := range ours.Frames() {
			c.events <- event{Event: "heard", User: id10(t.User), From: id10(f.User), Text: string(f.Opus)}
		}
	}()
	c.Cleanup(func() {
		ours.Close()
		<-done
	})
}

// speakOurs says frames of text as fast as the others do.
func (c *call) speakOurs(text string) {
	pace := time.NewTicker(5 * time.Millisecond)
	defer pace.Stop()
	for said := 0; said < frames; {
		select {
		case <-pace.C:
		case <-c.ctx.Done():
			return
		}
		frame := fmt.Sprintf("%s %d", text, said)
		if c.ours.Send([]byte(frame+strings.Repeat(".", 40-len(frame)))) == nil {
			said++
		}
	}
}
