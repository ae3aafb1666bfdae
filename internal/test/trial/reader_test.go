package trial

import (
	"context"
	"encoding/json"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/consent"
	"discoclaw/internal/llm"
	"discoclaw/internal/test/scenario"
	"discoclaw/internal/turn"
)

// invoke asks as the bot does.
func (b *bridge) invoke(ctx context.Context, system, message, role string) (answer string, err error) {
	req := llm.Request{System: system, Messages: []llm.Message{{Role: llm.User, Text: message}}, Payer: llm.Payer{Role: role}}
	for event, err := range b.Invoke(ctx, req) {
		if err != nil {
			return "", err
		}
		answer += event.(llm.TextDelta).Text
	}
	return answer, nil
}

func (b *bridge) reader() consent.Reader {
	return func(ctx context.Context, system, message string) (string, error) {
		return b.invoke(ctx, system, message, "consent")
	}
}

var pin = consent.Request{Words: "pin that", Wanted: []string{"pin a message: the message directly above, by someone else"}}

// TestTheReadersCallsAreApart, with numbers of their own, and players have all the time of the trial for them.
func TestTheReadersCallsAreApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		answering(t, dir, func(asJSON) string { return "Hello!" })
		answering(t, filepath.Join(dir, "reader"), func(req asJSON) string {
			if req.Role != "consent" || req.System != consent.Instruction || req.Messages[0].Content != pin.String() {
				t.Errorf("the reader is shown %+v", req)
			}
			return `{"asked":[1]}`
		})
		b := &bridge{dir: dir, timeout: 10 * time.Minute}
		for range 2 {
			ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
			if asked, err := b.reader().Asked(ctx, pin); err != nil || !asked[0] {
				t.Errorf("it confirms %v, %v", asked, err)
			}
			stop()
		}
		if said, err := b.invoke(t.Context(), "You are a bot.", "hello", "chat"); err != nil || said != "Hello!" {
			t.Errorf("it says %q, %v", said, err)
		}
		wantIn(t, read(t, dir, "001.request.md"), "===== role: chat =====\n", "You are a bot.")
		wantIn(t, read(t, dir, "reader", "002.request.md"), "===== role: consent =====\n", "\n\"pin that\"\n")
		if calls, readers := apart(b.calls()); len(calls) != 1 || len(readers) != 2 || listed(readers) != "2 reader/001.answer.md reader/002.answer.md" {
			t.Errorf("%d calls, and %s of the reader", len(calls), listed(readers))
		}
	})
}

// TestTheReaderIsStopped: what ends the turn or the trial ends its call.
func TestTheReaderIsStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began, trial := time.Now(), make(chan struct{})
		b := &bridge{dir: t.TempDir(), timeout: time.Hour, stopped: trial}
		ctx, stop := context.WithCancel(t.Context())
		time.AfterFunc(5*time.Second, stop)
		if _, err := b.reader().Asked(ctx, pin); err == nil || time.Since(began) > 6*time.Second {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
		ctx, stop = context.WithTimeout(t.Context(), 10*time.Second)
		defer stop()
		time.AfterFunc(time.Minute, func() { close(trial) })
		if _, err := b.reader().Asked(ctx, pin); err == nil || time.Since(began) < time.Minute || time.Since(began) > 70*time.Second {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
	})
}

// TestTheReadersAnswersAreRecordedApart, so that a replay gives each its own.
func TestTheReadersAnswersAreRecordedApart(t *testing.T) {
	answers := []scenario.Answer{{Text: "Sure."}, {Text: `{"asked":[1]}`, Reader: true}, {Text: "Done."}}
	list, err := parseRequests(request{text: "ada in #general: pin that\n"}.recorded(answers))
	if err != nil || len(list) != 1 {
		t.Fatalf("%d requests, %v", len(list), err)
	}
	if diff := cmp.Diff(answers, list[0].answers); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	b := &bridge{dir: t.TempDir()}
	b.begin(list[0].answers)
	if asked, err := b.reader().Asked(t.Context(), pin); err != nil || !asked[0] {
		t.Errorf("it confirms %v, %v", asked, err)
	}
	for _, want := range []string{"Sure.", "Done."} {
		if said, err := b.invoke(t.Context(), "You are a bot.", "hello", "chat"); err != nil || said != want {
			t.Errorf("it says %q, %v, want %q", said, err, want)
		}
	}
	wantIn(t, read(t, b.dir, "reader", "001.answer.md"), `{"asked":[1]}`)
}

func TestCardsAreCountedByWhyTheyAsk(t *testing.T) {
	before := snapshot{botMessages: map[chat.MessageID]string{"1": "⚠️ <@7>: delete #old?\n-# Expires"}}
	after := snapshot{botMessages: map[chat.MessageID]string{
		"1": "⚠️ <@7>: delete #old?\n✅ Approved", // of an earlier request
		"2": "⚠️ <@7>: delete #new?\n-# Expires",
		"3": "⚠️ <@7>: pin it?\n-# Just checking that you want this: I have also read a message by <@8>.\n❌ Rejected",
		"4": "⚠️ somebody: do all of this?\n1. Pin it.\n2. Pin that.\n-# Just checking that you want this: I have also read a file.",
		"5": "↩️ <@7>: unpin it?",
		"6": "⚠️ plan-001: The model gave no plan that can be used.",
	}}
	asked := func(said string) []call {
		return []call{{req: llm.Request{Messages: []llm.Message{{Text: "\"pin it\"\nWanted actions:\n1. pin\n2. unpin"}}}, answer: answer{text: said, said: said}}}
	}
	for said, want := range map[string]Cards{`{"asked":[1]}`: {Always: 1, NotConfirmed: 2, Other: 1}, `{"asked":[1,2]}`: {Always: 3, Other: 1}} {
		if got := cards(before, after, asked(said)); got != want {
			t.Errorf("%s: cards that always ask, that were not confirmed, others: %v, want %v", said, got, want)
		}
	}
}

func TestFillersAreWordsOfALookUpThatStayed(t *testing.T) {
	answers := func(said ...string) (list []call) {
		for i, s := range said {
			list = append(list, call{channel: "1", answer: answer{said: s}, req: llm.Request{Messages: make([]llm.Message, 1+2*i)}})
		}
		return list
	}
	looked := func(name string, e actions.Effect) turn.Report {
		out := actions.Outcome{Action: &actions.Action{Name: name, Effect: e}}
		return turn.Report{Result: turn.Result{Rounds: []turn.Round{{Round: actions.Round{Outcomes: []actions.Outcome{out}}}}}}
	}
	reports := []turn.Report{looked("readMessages", actions.Queries), looked("pinMessage", actions.Mutates)}
	ask := func(name string) string {
		data, err := json.Marshal(map[string]string{"type": name})
		if err != nil {
			t.Fatal(err)
		}
		return actions.BlockOpen + string(data) + actions.BlockClose
	}
	const look = "Let me\nhave a look."
	for _, tt := range []struct {
		name  string
		calls []call
		stays string
		want  int
	}{
		{"it stays", answers(look+ask("readMessages"), "It is full."), "Let me have a look.\n-# Done: read 5 messages", 1},
		{"the answer took its place", answers(look+ask("readMessages"), "It is full."), "It is full.", 0},
		{"no answer came after it", answers(look + ask("readMessages")), look, 0},
		{"it changed something, too", answers(look+ask("readMessages")+ask("pinMessage"), "It is full."), look, 0},
		{"it looked nothing up", answers(look, "It is full."), look, 0},
		{"it has no words", answers(ask("readMessages"), "It is full."), "It is full.", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			after := snapshot{botMessages: map[chat.MessageID]string{"1": tt.stays}}
			if got := fillers(tt.calls, reports, snapshot{}, after); got != tt.want {
				t.Errorf("%d fillers, want %d", got, tt.want)
			}
			if got := fillers(tt.calls, reports, after, after); got != 0 {
				t.Errorf("%d fillers in a message of an earlier request", got)
			}
		})
	}
}
