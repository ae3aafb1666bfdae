package fakediscord_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/chat"
)

func TestTheClockOfTheWorldCanDiffer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)))
		r := newRig(t, "guild d: #a\nmember bob")
		before := r.say("bob", "#a", "before")
		r.Skew(time.Hour)
		there := time.Now().Add(time.Hour)
		ahead := r.say("bob", "#a", "an hour ahead")
		if ahead.ID.After(chat.FirstAt(there.Add(time.Second))) || !ahead.ID.After(chat.FirstAt(there.Add(-time.Second))) || !ahead.Sent.Equal(there) {
			t.Errorf("message %s was written at %v", ahead.ID, ahead.Sent)
		}
		got := r.send("GET", r.in("#a", "/messages"), "")
		if date, err := http.ParseTime(got.header.Get("Date")); err != nil || !date.Equal(there) {
			t.Errorf("the date is %v, %v, want %v", date, err, there)
		}
		if reset := got.header.Get("X-RateLimit-Reset"); !strings.HasPrefix(reset, "17724132") {
			t.Errorf("the limit is over at %s", reset)
		}
		r.Skew(0)
		if back := r.say("bob", "#a", "back again"); !back.ID.After(ahead.ID) || !back.Sent.Equal(before.Sent) {
			t.Errorf("message %s, after %s, was written at %v", back.ID, ahead.ID, back.Sent)
		}
	})
}
