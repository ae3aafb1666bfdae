package confirm_test

import (
	"errors"
	"testing"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/confirm"
)

// TestACardIsTakenBackByTheUserWhoAsked, on the same server, once, and before it expires; after that no approval runs it.
func TestACardIsTakenBackByTheUserWhoAsked(t *testing.T) {
	inOffice(t, func(t *testing.T, o *office) {
		o.ask("Wreck the car.")
		ada, here := o.UserID("ada"), o.GuildID()
		for _, tt := range []struct {
			token string
			by    chat.UserID
			on    chat.GuildID
		}{{"a-token", o.UserID("bob"), here}, {"a-token", ada, "9"}, {"a-token", "", here}, {"b-token", ada, here}} {
			if _, err := o.service.Withdraw(t.Context(), tt.token, tt.by, tt.on); !errors.Is(err, confirm.ErrNotWaiting) {
				t.Errorf("%v: %v", tt, err)
			}
		}
		elsewhere := o.place()
		elsewhere.Channel = "1"
		for who, want := range map[chat.UserID]int{ada: 1, o.UserID("bob"): 0} {
			if list, err := o.service.Waiting(t.Context(), elsewhere, who); err != nil || len(list) != want {
				t.Errorf("elsewhere, %d cards wait for %s, error %v", len(list), who, err)
			}
		}
		if w, err := o.service.Withdraw(t.Context(), "a-token", ada, here); err != nil || w.Card.Message == "" {
			t.Errorf("%v, %v", w, err)
		}
		o.requireEnd("wreck the car?", "withdrew the request")
		if list, err := o.service.Waiting(t.Context(), o.place(), ada); err != nil || len(list) != 0 {
			t.Errorf("%v, %v", list, err)
		}
		if _, err := o.service.Withdraw(t.Context(), "a-token", ada, here); !errors.Is(err, confirm.ErrNotWaiting) {
			t.Error(err)
		}
		if o.confirm("ada", "a-token"); o.done.Load() != 0 {
			t.Error("it was done all the same")
		}
		o.ask("Wreck the boat.")
		time.Sleep(11 * time.Minute)
		if _, err := o.service.Withdraw(t.Context(), "b-token", ada, here); !errors.Is(err, confirm.ErrNotWaiting) {
			t.Error(err)
		}
	})
}
