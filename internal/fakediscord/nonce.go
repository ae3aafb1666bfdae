package fakediscord

import (
	"encoding/json"
	"time"

	"discoclaw/internal/chat"
)

// nonceMemory is how long Discord recognises a nonce: "the past few minutes".
const nonceMemory = 5 * time.Minute

type nonceKey struct {
	author  chat.UserID
	channel chat.ChannelID
	nonce   string
}

type sentNonce struct {
	message chat.MessageID
	at      time.Time
}

// sentBefore finds the message with the same nonce, if the request has enforce_nonce.
func (w *World) sentBefore(d draft, enforce bool) *Message {
	if d.nonce == "" || !enforce {
		return nil
	}
	sent := w.nonces[nonceKey{d.author.ID, d.channel.ID, d.nonce}]
	if w.clock().Sub(sent.at) > nonceMemory {
		return nil
	}
	return w.messages[sent.message]
}

func (w *World) rememberNonce(m *Message) {
	if m.Nonce != "" {
		w.nonces[nonceKey{m.Author, m.Channel, m.Nonce}] = sentNonce{m.ID, w.clock()}
	}
}

// nonceJSON is the nonce as it was sent: a text or a number.
func (m *Message) nonceJSON() any {
	if m.NumberNonce {
		return json.Number(m.Nonce)
	}
	return m.Nonce
}
