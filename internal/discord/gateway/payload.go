package gateway

import (
	"encoding/json"
	"fmt"
	"net/url"
	"runtime"
	"time"
)

// version is the version of the gateway that this package speaks.
const version = "10"

// The operations of payloads, by Discord's documentation ("Gateway Opcodes").
const (
	opDispatch       = 0
	opHeartbeat      = 1
	opIdentify       = 2
	opPresence       = 3
	opVoiceState     = 4
	opResume         = 6
	opReconnect      = 7
	opInvalidSession = 9
	opHello          = 10
	opHeartbeatACK   = 11
)

// A payload is one message from Discord.
type payload struct {
	Op       int             `json:"op"`
	Data     json.RawMessage `json:"d"`
	Sequence *int64          `json:"s"`
	Name     string          `json:"t"`
}

func readPayload(data []byte) (p payload, err error) {
	if err = json.Unmarshal(data, &p); err != nil {
		return payload{}, fmt.Errorf("read a message from the gateway: %w", err)
	}
	return p, nil
}

// A command is one message to Discord.
type command struct {
	Op   int `json:"op"`
	Data any `json:"d"`
}

// identifyCommand asks for a session that begins with a presence, if there is one.
func identifyCommand(o Options, p *Presence) command {
	data := map[string]any{
		"token":   o.Token,
		"intents": o.Intents,
		"properties": map[string]string{
			"os": runtime.GOOS, "browser": "discoclaw", "device": "discoclaw",
		},
	}
	if p != nil {
		data["presence"] = p.wire()
	}
	return command{opIdentify, data}
}

func presenceCommand(p Presence) command { return command{opPresence, p.wire()} }

func voiceCommand(v VoiceState) command { return command{opVoiceState, v} }

// wire returns p with a list that is never null.
func (p Presence) wire() Presence {
	if p.Activities == nil {
		p.Activities = []Activity{}
	}
	return p
}

func resumeCommand(token string, s Session) command {
	return command{opResume, map[string]any{"token": token, "session_id": s.ID, "seq": s.Sequence}}
}

// heartbeatCommand carries the last sequence seen, or null before the first.
func heartbeatCommand(s Session) command {
	if s.Sequence == 0 {
		return command{Op: opHeartbeat}
	}
	return command{opHeartbeat, s.Sequence}
}

// maxInterval is far beyond any heartbeat interval that makes sense.
const maxInterval = time.Hour

// helloInterval reads the data of HELLO.
func helloInterval(data json.RawMessage) (time.Duration, error) {
	var hello struct {
		Interval int64 `json:"heartbeat_interval"` // milliseconds
	}
	if err := json.Unmarshal(data, &hello); err != nil {
		return 0, fmt.Errorf("read HELLO: %w", err)
	}
	if hello.Interval <= 0 || hello.Interval > maxInterval.Milliseconds() {
		return 0, fmt.Errorf("HELLO names a heartbeat interval of %d ms", hello.Interval)
	}
	return time.Duration(hello.Interval) * time.Millisecond, nil
}

// newSession reads the session out of the data of READY.
func newSession(data json.RawMessage) (Session, error) {
	var ready struct {
		SessionID string `json:"session_id"`
		ResumeURL string `json:"resume_gateway_url"`
	}
	// Without its own address, a session is resumed at the general one.
	if err := json.Unmarshal(data, &ready); err != nil && ready.SessionID == "" {
		return Session{}, fmt.Errorf("read READY: %w", err)
	}
	return Session{ID: ready.SessionID, ResumeURL: ready.ResumeURL}, nil
}

// withVersion adds version and encoding to a gateway address.
func withVersion(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", fmt.Errorf("read the gateway's address: %w", err)
	}
	q := u.Query()
	q.Set("v", version)
	q.Set("encoding", "json")
	u.RawQuery = q.Encode()
	return u.String(), nil
}
