package app

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/app/apptest"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/fakediscord/fakegateway"
	"discoclaw/internal/llm/script"
)

// TestWhatIsSaidWhileASessionIsLostIsAnswered: the process goes on, but Discord begins
// anew and tells nothing of what was said before.
func TestWhatIsSaidWhileASessionIsLostIsAnswered(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, apptest.World)
		model := script.New(script.Say("One."), script.Say("Two."), script.Say("Three."))
		_, stop := begins(t, apptest.Env(t, w), Outside{HTTP: w.HTTP(), Runtime: model})
		w.MustSay("ada", "general", "first")
		time.Sleep(time.Second)
		w.Gateway().Refuse(true)
		w.Gateway().Inject(fakegateway.CloseCode(4000))
		w.Gateway().ForgetSessions()
		time.Sleep(time.Second)
		w.MustSay("ada", "general", "second")
		w.Gateway().Refuse(false)
		time.Sleep(5 * time.Minute)
		w.MustSay("ada", "general", "third")
		time.Sleep(time.Second)
		_, _ = stop()
		if got := w.Gateway().Counts().Identifies; got != 2 {
			t.Errorf("%d sessions", got)
		}
		for _, answer := range []string{"One.", "Two.", "Three."} {
			if strings.Count(w.Transcript(), answer) != 1 {
				t.Errorf("%s is not there once:\n%s", answer, w.Transcript())
			}
		}
	})
}

// TestCatchingUpIsGentle: not all channels are read at once, and those without news not
// at all.
func TestCatchingUpIsGentle(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, "guild disco: #a #b #c #d #e #quiet\nmember ada: owner")
		env := apptest.Env(t, w, "DISCOCLAW_MESSAGE_HISTORY_BUDGET=0")
		_, stop := begins(t, env, Outside{HTTP: w.HTTP(), Runtime: script.New()})
		_, _ = stop()
		var answers []script.Answer
		for _, channel := range []string{"a", "b", "c", "d", "e"} {
			w.MustSay("ada", channel, "hello")
			answers = append(answers, script.Say("Hi."))
		}
		slow := &reading{RoundTripper: w.HTTP().Transport}
		_, stop = begins(t, env, Outside{HTTP: &http.Client{Transport: slow}, Runtime: script.New(answers...)})
		time.Sleep(10 * time.Second)
		_, _ = stop()
		if slow.most != 2 || slow.all != 5 || strings.Count(w.Transcript(), "Hi.") != 5 {
			t.Errorf("%d at once of %d:\n%s", slow.most, slow.all, w.Transcript())
		}
	})
}

// TestWhatIsHeardWhileAChannelIsReadKeepsItsOrder: the connection is lost in that moment, so
// that of two messages the bot hears one and reads the other.
func TestWhatIsHeardWhileAChannelIsReadKeepsItsOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, apptest.World)
		env := apptest.Env(t, w, "DISCOCLAW_MESSAGE_HISTORY_BUDGET=0")
		_, stop := begins(t, env, Outside{HTTP: w.HTTP(), Runtime: apptest.Talkative()})
		time.Sleep(time.Minute)
		_, _ = stop()
		w.Gateway().ForgetSessions()
		w.MustSay("ada", "general", "I have a wish.")
		model := script.New(script.Say("Understood."))
		slow := &reading{RoundTripper: w.HTTP().Transport}
		_, stop = begins(t, env, Outside{HTTP: &http.Client{Transport: slow}, Runtime: model, Log: t.Output()})
		for slow.under() == 0 {
			time.Sleep(10 * time.Millisecond)
		}
		w.MustSay("ada", "general", "Delete everything.")
		synctest.Wait()
		w.Gateway().Inject(fakegateway.Drop())
		last := w.MustSay("ada", "general", "No, better not.").ID
		time.Sleep(time.Minute)
		_, _ = stop()
		asked := model.Requests()
		if len(asked) != 1 || apptest.Answers(t, w, "general", last, "Understood.") != 1 {
			t.Fatalf("%d requests\n%s", len(asked), w.Transcript())
		}
		prompt := asked[0].Messages[len(asked[0].Messages)-1].Text
		if strings.Index(prompt, "Delete everything.") > strings.Index(prompt, "No, better not.") {
			t.Error(prompt)
		}
	})
}

// reading counts requests for messages, each of which takes a second.
type reading struct {
	http.RoundTripper
	mu             sync.Mutex
	all, now, most int
}

func (r *reading) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method == http.MethodGet && strings.HasSuffix(req.URL.Path, "/messages") {
		r.count(1)
		time.Sleep(time.Second)
		defer r.count(-1)
	}
	return r.RoundTripper.RoundTrip(req)
}

func (r *reading) count(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now += n
	r.all += max(n, 0)
	r.most = max(r.most, r.now)
}

// under is how many are under way.
func (r *reading) under() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.now
}
