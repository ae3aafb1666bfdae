package link_test

import (
	"encoding/json"
	"testing"
	"time"

	"discoclaw/internal/fakediscord/fakevoice"
	"discoclaw/internal/voice/dave"
)

// TestMessagesWithoutSenseDoNothing: what is said goes on through all of them.
func TestMessagesWithoutSenseDoNothing(t *testing.T) {
	inHall(t, fakevoice.Options{}, func(t *testing.T, h *hall) {
		b, a := h.join(bot), h.join(ada)
		h.requireTalk(a, b)
		for op := range 60 {
			if op >= dave.OpPrepareTransition && op <= dave.OpInvalid {
				continue // the matter of package dave
			}
			for _, data := range []string{
				`null`, `[]`, `""`, `-1`, `{}`, `{"user_id":"x","ssrc":-1}`, `{"user_ids":[[]]}`, `{"user_id":null,"user_ids":{}}`,
				`{"secret_key":[1,2,3],"mode":"aead_aes256_gcm_rtpsize"}`, `{"secret_key":[999],"mode":7}`, `{"ssrc":1,"ip":"::","port":99999}`,
				`{"heartbeat_interval":1e300}`, `{"heartbeat_interval":0.0001}`, `{"heartbeat_interval":"x"}`,
				`{"protocol_version":"x"}`, `{"transition_id":70000}`, `{"epoch":[]}`,
			} {
				h.Tell(bot, op, json.RawMessage(data))
			}
			h.TellBinary(bot, op, nil)
			h.TellBinary(bot, op, []byte{1, 2, 3})
		}
		time.Sleep(time.Minute)
		h.requireTalk(a, b)
		h.Complaints() // about what the bot was made to do
	})
}
