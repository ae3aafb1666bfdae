package chat_test

import (
	"testing"

	"discoclaw/internal/chat"
)

func place(id chat.MessageID) chat.Place {
	return chat.Place{Guild: "1477998909849600001", Channel: "1477998909849600002", Message: id}
}

func TestAMessageKeepsItsHandle(t *testing.T) {
	t.Parallel()
	var h chat.Handles
	h.Restore(map[string]chat.Place{"m2": place("12")}) // of a turn that is resumed
	for _, tt := range []struct {
		id   chat.MessageID
		want string
	}{{"11", "m1"}, {"13", "m3"}, {"12", "m2"}, {"11", "m1"}, {"", ""}, {"14", "m4"}} {
		if got := h.Of(place(tt.id)); got != tt.want {
			t.Errorf("message %q is %s, want %s", tt.id, got, tt.want)
		}
	}
	if got := (*chat.Handles)(nil).Of(place("11")); got != "" {
		t.Errorf("without handles there is %s", got)
	}
}

func TestHandlesBecomeLinks(t *testing.T) {
	t.Parallel()
	var h chat.Handles
	h.Of(place("11"))
	h.Of(place("12"))
	const link = "https://discord.com/channels/1477998909849600001/1477998909849600002/"
	for _, tt := range []struct{ name, in, want string }{
		{"in a sentence", "Look at m2, and (m1).", "Look at " + link + "12, and (" + link + "11)."},
		{"unknown", "m3 m0 m02", "m3 m0 m02"},
		{"part of a word", "m2a am2 m12 m_2", "m2a am2 m12 m_2"},
		{"square metres", "a flat of 50 m2, or 60m2", "a flat of 50 m2, or 60m2"},
	} {
		if got := h.LinkAll(tt.in); got != tt.want {
			t.Errorf("%s: %s", tt.name, got)
		}
	}
	if got := h.Link(" M2 "); got != link+"12" {
		t.Errorf("M2 is %s", got)
	}
	if got := h.In("pin m2 of m7"); len(got) != 1 || got["m2"] != place("12") {
		t.Errorf("the handles are %v", got)
	}
}
