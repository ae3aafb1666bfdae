package play_test

import (
	"strings"
	"testing"

	"discoclaw/internal/play"
)

// TestTroublesPass: what was asked while nothing went through is answered afterwards, once.
func TestTroublesPass(t *testing.T) {
	t.Parallel()
	for _, trouble := range []string{`{"network":true}`, `{"limits":true}`, `{"network":true,"limits":true}`} {
		v := visiting(t, play.Options{Layout: small})
		general := "/api/channels/" + v.channel("general") + "/messages?as=you"
		v.ask("POST", "/api/trouble", trouble, nil)
		turns := v.turns()
		v.ask("POST", general, `{"content":"what is 6 * 7?"}`, nil)
		var got struct{ Messages []struct{ Content string } }
		if v.ask("GET", general, "", &got); len(got.Messages) != 1 {
			t.Errorf("with %s: %+v", trouble, got)
		}
		v.ask("POST", "/api/trouble", `{}`, nil)
		turns()
		v.ask("GET", general, "", &got)
		said := 0
		for _, m := range got.Messages {
			said += strings.Count(m.Content, "42")
		}
		if said == 0 || len(got.Messages) > 3 {
			t.Errorf("after %s: %+v", trouble, got)
		}
		v.leave()
	}
}
