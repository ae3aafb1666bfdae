package link

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/coder/websocket"

	"discoclaw/internal/voice/dave"
)

// receive handles one message. What cannot be read is skipped: if it was needed, an answer stays away.
func (l *line) receive(ctx context.Context, m message) error {
	if m.kind == websocket.MessageBinary {
		if len(m.data) < 3 {
			return nil
		}
		l.s.sequence = int(binary.BigEndian.Uint16(m.data))
		return l.sendAll(ctx, l.s.dave.HandleBinary(int(m.data[2]), m.data[3:]))
	}
	var p payload
	if !l.decode(ctx, m.data, &p) {
		return nil
	}
	if p.Sequence != nil {
		l.s.sequence = *p.Sequence
	}
	switch p.Op {
	case opHello:
		return l.hello(ctx, p.Data)
	case opHeartbeatACK:
		l.acknowledged()
	case opReady:
		return l.begin(ctx, p.Data)
	case opDescription:
		return l.describe(ctx, p.Data)
	case opResumed:
		l.up()
	case opSpeaking, opConnected, opDisconnected:
		return l.people(ctx, p)
	case dave.OpPrepareTransition, dave.OpExecuteTransition, dave.OpPrepareEpoch:
		out, err := l.s.dave.HandleText(p.Op, p.Data)
		if err != nil {
			l.skipped(ctx, err)
		}
		return l.sendAll(ctx, out)
	}
	return nil
}

// decode reads JSON, and reports whether it could be read.
func (l *line) decode(ctx context.Context, data []byte, into any) bool {
	err := json.Unmarshal(data, into)
	if err != nil {
		l.skipped(ctx, err)
	}
	return err == nil
}

func (l *line) skipped(ctx context.Context, err error) {
	l.c.o.Log.DebugContext(ctx, "message of the voice gateway not understood", "guild", l.s.server.Guild, "err", err)
}

// hello starts the heartbeats, and resumes the session or asks for one.
func (l *line) hello(ctx context.Context, data json.RawMessage) error {
	if l.interval > 0 {
		return nil // a second IDENTIFY ends the connection
	}
	every, err := interval(data)
	if err != nil {
		l.skipped(ctx, err)
		return nil
	}
	l.interval = every
	l.heart.Reset(every)
	l.answer.Reset(answerWait)
	who := map[string]any{"server_id": snowflake(l.s.server.Guild), "session_id": l.s.server.Session, "token": l.s.server.Token}
	if l.resuming = !l.s.described.IsZero(); l.resuming {
		who["seq_ack"] = l.s.sequence
		return l.send(ctx, opResume, who)
	}
	who["user_id"], who["max_dave_protocol_version"] = snowflake(l.s.server.Self), encryptionVersion
	return l.send(ctx, opIdentify, who)
}

func (l *line) heartbeat(ctx context.Context) error {
	switch {
	case l.interval == 0:
		return errNoHello
	case !l.beat.IsZero():
		return errNoACK
	}
	l.beat = time.Now()
	l.heart.Reset(l.interval)
	return l.send(ctx, opHeartbeat, map[string]any{"t": l.beat.UnixMilli(), "seq_ack": l.s.sequence})
}

func (l *line) acknowledged() {
	if l.beat.IsZero() {
		return
	}
	took := time.Since(l.beat)
	l.beat = time.Time{}
	l.c.become(func(s *State) { s.RoundTrip = took })
}

// begin takes READY.
func (l *line) begin(ctx context.Context, data json.RawMessage) error {
	var r ready
	if l.s.media != nil || !l.decode(ctx, data, &r) {
		return nil
	}
	if l.s.mode = r.mode(); l.s.mode == "" {
		return fmt.Errorf("%w: it encrypts by %.200q", ErrNeedsUpdate, r.Modes)
	}
	l.s.media = l.c.newMedia(l.s, r)
	return nil
}

// selectProtocol tells the server where the bot hears, once that is known.
func (l *line) selectProtocol(ctx context.Context, n news) error {
	if n.err != nil {
		return n.err
	}
	return l.send(ctx, opSelect, map[string]any{
		"protocol": "udp",
		"data":     map[string]any{"address": n.address.Addr().String(), "port": n.address.Port(), "mode": l.s.mode},
	})
}

// describe takes the session description, with which there can be sound.
func (l *line) describe(ctx context.Context, data json.RawMessage) error {
	var d description
	if l.s.media == nil || !l.decode(ctx, data, &d) {
		return nil
	}
	if err := l.s.media.key(d); err != nil {
		l.skipped(ctx, err)
		return nil
	}
	if l.s.described.IsZero() {
		l.s.described = time.Now()
		l.c.speakWith(l.s.media)
		l.up()
	}
	if err := l.sendAll(ctx, l.s.dave.Describe(d.Version)); err != nil {
		return err
	}
	return l.speak(ctx)
}

// up takes that the session is there, or there again.
func (l *line) up() {
	l.answer.Stop()
	l.upSince = time.Now()
	l.c.become(func(s *State) { s.Reconnecting = false })
}

// people takes who has come or gone, and which SSRC belongs to whom.
func (l *line) people(ctx context.Context, p payload) error {
	var who struct {
		User  snowflake   `json:"user_id"`
		Users []snowflake `json:"user_ids"`
		SSRC  uint32      `json:"ssrc"`
	}
	if !l.decode(ctx, p.Data, &who) {
		return nil
	}
	switch p.Op {
	case opSpeaking:
		if l.s.media != nil && who.User != 0 {
			l.s.media.introduce(uint64(who.User), who.SSRC, time.Now())
		}
	case opConnected:
		var came []uint64
		for _, u := range who.Users {
			if uint64(u) != l.s.server.Self && len(l.s.people) < maxPeople {
				l.s.people[uint64(u)] = true
				came = append(came, uint64(u))
			}
		}
		return l.sendAll(ctx, l.s.dave.Connected(came...))
	case opDisconnected:
		delete(l.s.people, uint64(who.User))
		l.s.dave.Gone(uint64(who.User))
		if l.s.media != nil {
			l.s.media.forget(uint64(who.User), time.Now())
		}
	}
	return nil
}

// speak tells the others whether the bot speaks, if that has changed.
func (l *line) speak(ctx context.Context) error {
	on := l.c.speaking.Load()
	if l.s.described.IsZero() || on == l.s.told {
		return nil
	}
	flag := 0
	if on {
		flag = 1
	}
	l.s.media.announce(false)
	if err := l.send(ctx, opSpeaking, map[string]any{"speaking": flag, "delay": 0, "ssrc": l.s.media.ssrc}); err != nil {
		return err
	}
	l.s.told = on
	l.s.media.announce(on)
	return nil
}

// publish tells the Call's user how the session is.
func (l *line) publish() {
	if l.s.described.IsZero() {
		return
	}
	d, can := l.s.dave.State(), l.s.dave.CanSend()
	alone := len(l.s.people) == 0 && time.Since(l.s.described) >= aloneWait
	l.s.ready = l.s.ready || can || alone
	l.c.held = l.c.held || l.s.ready
	people := slices.Sorted(maps.Keys(l.s.people))
	l.c.become(func(s *State) {
		s.Ready, s.CanSend, s.People, s.Version, s.PrivacyCode = l.s.ready, can, people, d.Version, d.PrivacyCode
	})
}

func (l *line) sendAll(ctx context.Context, out []dave.Message) error {
	for _, m := range out {
		if m.Binary == nil {
			if err := l.send(ctx, m.Op, m.Text); err != nil {
				return err
			}
			continue
		}
		if err := l.write(ctx, websocket.MessageBinary, append([]byte{byte(m.Op)}, m.Binary...)); err != nil {
			return err
		}
	}
	return nil
}

func (l *line) send(ctx context.Context, op int, data any) error {
	text, err := json.Marshal(map[string]any{"op": op, "d": data})
	if err != nil {
		return err
	}
	return l.write(ctx, websocket.MessageText, text)
}

// write writes a message. If it cannot, and the server closes the connection, the error says why.
func (l *line) write(ctx context.Context, kind websocket.MessageType, data []byte) error {
	ctx, cancel := context.WithTimeout(ctx, writeWait)
	defer cancel()
	err := l.ws.Write(ctx, kind, data)
	if err == nil {
		return nil
	}
	late := time.After(goodbyeWait)
	for {
		select {
		case <-late:
			return err
		case _, open := <-l.messages:
			if !open {
				return l.readErr
			}
		}
	}
}
