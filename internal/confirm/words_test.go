package confirm_test

import (
	"strings"
	"testing"

	"discoclaw/internal/actions"
)

// TestACardKeepsNoWordsOfMessages: who approves has to know which message is meant, but its author may delete it. Until then, who reads
// the card has read them.
func TestACardKeepsNoWordsOfMessages(t *testing.T) {
	inOffice(t, func(t *testing.T, o *office) {
		held := actions.Pending{Request: actions.Request{Type: "wreck", Args: []byte(`{}`)}, What: "Delete zed's message “buy now” in #ops.",
			Words: []string{"“buy now”"}, Outside: "a message by zed"}
		if err := o.service.Hold(t.Context(), o.origin("t1"), []actions.Pending{held}); err != nil {
			t.Fatal(err)
		}
		o.requireEnd("delete zed's message “buy now” in #ops?")
		o.requireMarked("a message by zed")
		o.confirm("ada", "a-token")
		o.requireEnd("delete zed's message in #ops?")
		if strings.Contains(o.Transcript(), "buy now") {
			t.Error(o.Transcript())
		}
	})
}
