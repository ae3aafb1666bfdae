package flow_test

import (
	"strings"
	"testing"
	"time"
)

// silenced is a world in whose #general the bot cannot answer.
const silenced = "guild disco: #general\nmember ada: owner\nbot DiscoClaw: View Channel, Read Message History\ndeny #general @everyone: Send Messages"

// TestAnOperatorWhoRefusesDirectMessagesIsLeftAlone: the bot tries it once, and says so in the log once.
func TestAnOperatorWhoRefusesDirectMessagesIsLeftAlone(t *testing.T) {
	onHost(t, silenced, func(h *host) {
		h.must(h.RefuseDMs("ada"))
		h.start()
		for range 3 {
			h.ask("anybody?")
			time.Sleep(2 * time.Hour)
		}
		h.stop()
		if n := strings.Count(h.log.String(), "cannot write to an operator"); n != 1 {
			t.Errorf("the log says %d times that the operator cannot be written to", n)
		}
		if n := h.openings(); n != 1 {
			t.Errorf("it was tried %d times", n)
		}
	}, "DISCOCLAW_OPERATOR_DMS=1")
}

// TestOperatorsGetNoDirectMessages if there is a status channel, or they do not want any.
func TestOperatorsGetNoDirectMessages(t *testing.T) {
	t.Parallel()
	for name, settings := range map[string][]string{
		"with a status channel": {"DISCOCLAW_OPERATOR_DMS=1", "DISCOCLAW_STATUS_CHANNEL=general"},
		"if they want none":     {"DISCOCLAW_OPERATOR_DMS=0"},
		"if there are none":     {"DISCOCLAW_OPERATOR_DMS=1", "DISCOCLAW_OPERATOR_USER_IDS=none"},
	} {
		t.Run(name, func(t *testing.T) {
			onHost(t, silenced, func(h *host) {
				h.start()
				h.ask("anybody?")
				time.Sleep(time.Minute)
				h.stop()
				if n := h.openings(); n != 0 {
					t.Errorf("direct messages were opened %d times", n)
				}
			}, settings...)
		})
	}
}
