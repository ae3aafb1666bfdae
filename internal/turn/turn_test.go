package turn_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest"
	"discoclaw/internal/actions/dialect"
	"discoclaw/internal/chat"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/script"
	"discoclaw/internal/turn"
	"discoclaw/internal/turn/render"
)

// A wall is a venue that keeps its replies, and whose deliveries can fail.
type wall struct {
	replies []*reply
	failing func(n int, text string) (shown string, err error) // the result of the n-th Finish; nil means that all is shown
	stuck   bool                                               // Discard fails
	n       int
}

type reply struct {
	wall  *wall
	label string
	text  string
	files []string
	below string // the labels of its buttons
	gone  bool
}

func (w *wall) Open(_ context.Context, _, label string) (turn.Reply, error) {
	r := &reply{wall: w, label: label, text: label}
	w.replies = append(w.replies, r)
	return r, nil
}

func (r *reply) Preview(_ context.Context, text string) error {
	r.text = text
	return nil
}

func (r *reply) Finish(ctx context.Context, b turn.Body) (chat.Receipt, error) {
	if ctx.Err() != nil {
		return chat.Receipt{}, ctx.Err()
	}
	shown, err := render.Report(b.Text, nil, b.Notices), error(nil)
	if b.Remark != "" {
		shown = b.Remark + "\n" + shown
	}
	if r.wall.failing != nil {
		shown, err = r.wall.failing(r.wall.n, shown)
	}
	r.wall.n++
	if shown == "" && (err != nil || len(b.Pictures) == 0) {
		return chat.Receipt{}, err
	}
	r.text = shown
	for _, button := range b.Buttons {
		r.below += button.Label
	}
	for _, f := range b.Pictures {
		body, err := f.Open()
		if err != nil {
			return chat.Receipt{}, err
		}
		all, err := io.ReadAll(body)
		if err != nil {
			return chat.Receipt{}, err
		}
		r.files = append(r.files, fmt.Sprintf("%s, %d bytes", f.Name, len(all)))
	}
	return chat.Receipt{Channel: "1", Messages: []chat.MessageID{"0"}}, err
}

func (r *reply) Leave(_ context.Context, label string) { r.text = label }

func (r *reply) Discard(context.Context) error {
	if r.wall.stuck {
		return errors.New("stuck")
	}
	r.gone = true
	return nil
}

// shown are the texts of all replies that were not discarded.
func (w *wall) shown() []string {
	var all []string
	for _, r := range w.replies {
		if !r.gone {
			all = append(all, r.text)
		}
	}
	return all
}

// A talk is a minimal prompt.
type talk struct {
	err    error
	images int
	forms  bool // it has functions, and another form without
}

func (p talk) First(context.Context) (llm.Request, error) {
	if errors.Is(p.err, errPanic) {
		panic("prompt is broken")
	}
	if p.forms {
		sections := func(name string) []llm.Section { return []llm.Section{{Name: name}} }
		return llm.Request{Sections: sections("functions"), Plain: &llm.Request{Sections: sections("plain")}}, nil
	}
	if p.images == 0 {
		return llm.Request{}, p.err
	}
	return llm.Request{Messages: []llm.Message{{Role: llm.User, Images: make([]llm.Image, p.images)}}}, p.err
}

func (talk) Next(req llm.Request, answer llm.Message, _ actions.Reason, _ actions.Round, _ bool) llm.Request {
	req.Messages = append(req.Messages, answer)
	return req
}

var chosen = llm.Choice{Runtime: "brain", Model: "m-1"}

var errPanic = errors.New("panic")

// scene is a turn with its script and its result.
type scene struct {
	wall     wall
	mayPass  bool
	remark   string
	alone    bool // Unawaited
	prompt   talk
	speaks   dialect.List
	model    llm.Runtime
	judge    turn.Judge
	goOn     turn.Continue
	before   string // was kept back by earlier turns
	commit   func() error
	asked    string // the message that is answered
	search   error  // of every web search
	clean    func(string) string
	guild    chat.GuildID
	once     bool                    // there are no follow-ups
	reads    map[chat.ChannelID]bool // whether all who read the answer may read these, too; nil means that it is unknown
	ledger   string                  // the database of the ledger; empty for none
	stop     context.CancelCauseFunc // set by play; called by the action halt
	ends     error                   // the cause that halt passes to stop; nil means ErrStopped
	stopping string                  // another action that calls it
	ran      []string
	outcome  turn.Result
	err      error
}

func (s *scene) play(t *testing.T) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancelCause(t.Context())
		defer stop(nil)
		s.stop = stop
		define := func(name string, change func(*actionstest.Spec)) *actions.Action {
			return actionstest.Define(name, func(sp *actionstest.Spec) {
				do := sp.Do
				sp.Do = func(ctx context.Context, call actions.Call, in struct{}) (actions.Result, error) {
					s.ran = append(s.ran, name)
					if name == "halt" || name == s.stopping {
						cause := turn.ErrStopped
						if s.ends != nil {
							cause = s.ends
						}
						stop(cause)
					}
					return do(ctx, call, in)
				}
				if change != nil {
					change(sp)
				}
			})
		}
		reg := actionstest.Registry(t, actionstest.Category{Called: "c", List: []*actions.Action{
			define("act", nil), define("halt", nil),
			define("send", func(sp *actionstest.Spec) { sp.Quiet = true }),
			define("look", func(sp *actionstest.Spec) { sp.Effect = actions.Queries }),
			actions.Define(actions.Spec[query]{
				Name: "webSearch", Summary: "Search.", Effect: actions.Queries, Examples: []query{{"tides"}},
				Do: func(context.Context, actions.Call, query) (actions.Result, error) {
					return actions.Result{Found: "three pages", Summary: "searched", Open: true}, s.search
				},
			}),
			finding("hall", actions.Result{Found: "many", Summary: "looked around", Open: true}),
			finding("safe", actions.Result{Found: "gold", Summary: "looked inside"}),
			finding("post", actions.Result{Found: "news", Summary: "read <#1>", From: []chat.ChannelID{"1"}}),
			finding("mail", actions.Result{Found: "love", Summary: "read both", From: []chat.ChannelID{"1", "2"}}),
		}})
		var o actions.DispatcherOptions
		if s.reads != nil {
			o.Readable = func(_ context.Context, _ chat.GuildID, _, source chat.ChannelID) (bool, error) {
				ok, known := s.reads[source]
				if !known {
					return false, errors.New("unknown")
				}
				return ok, nil
			}
		}
		runner := &turn.Runner{
			Runtime: s.model, Dispatcher: actions.NewDispatcher(o), Clean: s.clean, Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
		}
		if s.ledger != "" {
			runner.Remember = remember(t, s.ledger)
		}
		followUps := 3
		if s.once {
			followUps = 0
		}
		s.outcome, s.err = runner.Run(ctx, turn.Turn{
			Origin: actions.Origin{Turn: "turn-1", Place: chat.Place{Guild: s.guild, Message: "77"}},
			Gate:   reg.Gate(actionstest.Open(reg)), Prompt: s.prompt, Venue: &s.wall, FollowUps: followUps, AllowEmpty: s.mayPass, Background: s.alone, Remark: s.remark,
			Model: chosen, Dialects: s.speaks, Judge: s.judge, Continue: s.goOn, Before: s.before, Asked: func() string { return s.asked }, Commit: s.commit,
			Buttons: func(idle bool) []chat.Button {
				return []chat.Button{{Label: map[bool]string{true: "idle", false: "acted"}[idle]}}
			},
		})
	})
}

type query struct {
	Query string `json:"query" doc:"What to look for."`
}

// finding is a query.
func finding(name string, what actions.Result) *actions.Action {
	return actionstest.Define(name, func(s *actionstest.Spec) {
		s.Effect = actions.Queries
		s.Do = func(context.Context, actions.Call, struct{}) (actions.Result, error) { return what, nil }
	})
}

func TestWhatALastAnswerShows(t *testing.T) {
	const because = "; not shown here, because not "
	for _, tt := range []struct {
		name  string
		scene scene
		want  string
	}{
		{"a follow-up comes", scene{guild: "9", model: says(block("hall"), "Ok.")}, "-# Done: looked around"},
		{"every member may know it", scene{guild: "9", once: true, model: says(block("hall"))}, "Done: many"},
		{"not every member may", scene{guild: "9", once: true, model: says(block("safe"))}, "-# Done: looked inside" + because + "every member may look that up"},
		{"in a direct message", scene{once: true, model: says(block("safe"))}, "Done: gold"},
		{"all may read the channel", scene{guild: "9", once: true, model: says(block("post")), reads: map[chat.ChannelID]bool{"1": true}}, "Done: news"},
		{"not all may read the channel", scene{guild: "9", once: true, model: says(block("post")), reads: map[chat.ChannelID]bool{"1": false}}, "-# Done: read <#1>" + because + "everybody here may read that channel"},
		{"it cannot be known", scene{guild: "9", once: true, model: says(block("post")), reads: map[chat.ChannelID]bool{}}, "-# Done: read <#1>" + because + "everybody here may read that channel"},
		{"nobody can be asked", scene{guild: "9", once: true, model: says(block("post"))}, "-# Done: read <#1>" + because + "everybody here may read that channel"},
		{"not all may read one of two", scene{guild: "9", once: true, model: says(block("mail")), reads: map[chat.ChannelID]bool{"1": true}}, "-# Done: read both" + because + "everybody here may read all of these channels"},
		{"several", scene{guild: "9", once: true, model: says(block("safe") + block("hall"))}, "-# Done: looked inside" + because + "every member may look that up\nDone: many"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.scene.play(t)
			if got := tt.scene.wall.shown()[0]; got != tt.want {
				t.Errorf("got %s\nwant %s", got, tt.want)
			}
		})
	}
}

func says(answers ...string) llm.Runtime {
	var list []script.Answer
	for _, a := range answers {
		list = append(list, script.Say(a))
	}
	return script.New(list...)
}

func block(name string) string {
	return actions.BlockOpen + `{"type":"` + name + `"}` + actions.BlockClose
}

// capsule is a note of the model to itself.
func capsule(focus string) string {
	return dialect.CapsuleOpen + "currentFocus: " + focus + "\nnextStep: rest" + dialect.CapsuleClose
}

const internalFault = "⚠️ Something went wrong inside me, so I stopped here. The log has the details for the people who run me, with turn=turn-1."

func TestWhatTheReaderSees(t *testing.T) {
	for _, tt := range []struct {
		name  string
		scene scene
		want  []string
		ran   string
		fails bool
	}{
		{name: "an answer", scene: scene{model: says("Hello.")}, want: []string{"Hello."}},
		{name: "nothing at all", scene: scene{model: says("")}, want: []string{turn.NoOutput}},
		{name: "an answer with a note of the model to itself", scene: scene{model: says("Hello.\n" + capsule("a"))}, want: []string{"Hello."}},
		{name: "nothing but such a note", scene: scene{model: says(capsule("a"))}, want: []string{turn.NoOutput}},
		{name: "such a note beside a sign of life", scene: scene{model: says("HEARTBEAT_OK" + capsule("a")), mayPass: true}, want: nil},
		{name: "an action and its line", scene: scene{model: says("Sure." + block("act"))}, want: []string{"Sure.\n\nDone: act"}, ran: "act"},
		{name: "an unclosed fence", scene: scene{model: says("```go\nx := 1\n" + "\n```\n" + block("act") + "\n```\ny")}, want: []string{"```go\nx := 1\n\n```\n\n```\ny\n```\n\nDone: act"}, ran: "act"},
		{name: "only a quiet success", scene: scene{model: says(block("send"))}, want: nil, ran: "send"},
		{name: "only a quiet success, which cannot be taken away", scene: scene{model: says(block("send")), wall: wall{stuck: true}}, want: []string{"Done."}, ran: "send"},
		{name: "a query, then an answer", scene: scene{model: says("Wait."+block("look"), "Two.")}, want: []string{"Two.\n\n-# Done: looked it up"}, ran: "look"},
		{name: "a quiet success beside a query", scene: scene{model: says(block("send")+block("look"), "Two.")}, want: []string{"-# Done: looked it up", "Two."}, ran: "send look"},
		{name: "a follow-up that only acknowledges", scene: scene{model: says("Wait."+block("look"), "**Got it!** ")}, want: []string{"Wait.\n\n-# Done: looked it up"}, ran: "look"},
		{name: "a first answer that only acknowledges", scene: scene{model: says("Got it.")}, want: []string{"Got it."}},
		{name: "nothing, where it may be", scene: scene{model: says(" \n"), mayPass: true}, want: nil},
		{name: "no output, where it may be", scene: scene{model: says("(no output)"), mayPass: true}, want: nil},
		{name: "a sign of life, where it may be all", scene: scene{model: says("HEARTBEAT_OK\n"), mayPass: true}, want: nil},
		{name: "a sign of life that cannot be taken away", scene: scene{model: says("HEARTBEAT_OK"), mayPass: true, wall: wall{stuck: true}}, want: []string{turn.NoOutput}},
		{name: "a short answer, where none is needed", scene: scene{model: says("Got it."), mayPass: true}, want: []string{"Got it."}},
		{name: "an action beside a sign of life", scene: scene{model: says("HEARTBEAT_OK" + block("act")), mayPass: true}, want: []string{"HEARTBEAT_OK\n\nDone: act"}, ran: "act"},
		{name: "a prompt that cannot be made", scene: scene{model: says("Hi."), prompt: talk{err: errors.New("secret path")}}, want: []string{internalFault}, fails: true},
		{name: "a fault in the bot", scene: scene{model: says("Hi."), prompt: talk{err: errPanic}}, want: []string{internalFault}, fails: true},
		{name: "a fault in the model's adapter", scene: scene{model: script.Func(func(context.Context, llm.Request) iter.Seq2[llm.Event, error] {
			return func(func(llm.Event, error) bool) { panic("adapter is broken") }
		})}, want: []string{internalFault}, fails: true},
		{name: "stopped by an action", scene: scene{model: says("Go." + block("act") + block("halt") + block("act"))},
			want: []string{"Go.\n\nDone: act\nDone: halt\nFailed: not done, because I was stopped\n\n*(Stopped.)*"}, ran: "act halt", fails: true},
		{name: "stopped by the last action", scene: scene{model: says("Go." + block("halt"))},
			want: []string{"Go.\n\nDone: halt\n\n*(Stopped.)*"}, ran: "halt", fails: true},
		{name: "stopped by an action, with nobody waiting", scene: scene{model: says("Go." + block("halt")), alone: true},
			want: []string{"Go.\n\nDone: halt\n\n*(Stopped.)*"}, ran: "halt", fails: true},
		{name: "restarted by an action, with nobody waiting", scene: scene{model: says("Go." + block("halt")), alone: true, ends: turn.ErrGoingDown}, ran: "halt", fails: true},
		{name: "a fault in the bot, with nobody waiting", scene: scene{model: says("Hi."), prompt: talk{err: errPanic}, alone: true}, want: []string{internalFault}, fails: true},
		{name: "an answer that cannot be delivered", scene: scene{model: says("Hello." + block("look")), wall: wall{failing: refuseFirst}},
			want: []string{"⚠️ I could not post the answer here."}, ran: "look", fails: true},
		{name: "an answer of which a part is delivered", scene: scene{model: says("One.\nTwo."), wall: wall{failing: refuseSecondLine}},
			want: []string{"One.", "⚠️ I could not post the rest of the answer here."}, fails: true},
		{name: "a remark above the first answer", scene: scene{model: says("Wait."+block("look"), "Two."), remark: "Late."}, want: []string{"Late.\nTwo.\n\n-# Done: looked it up"}, ran: "look"},
		{name: "nothing can be delivered", scene: scene{model: says("Hello."), wall: wall{failing: refuseAll}}, want: nil, fails: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := tt.scene
			s.play(t)
			if diff := cmp.Diff(tt.want, s.wall.shown()); diff != "" {
				t.Errorf("on the wall (-want +got):\n%s", diff)
			}
			if got := strings.Join(s.ran, " "); got != tt.ran {
				t.Errorf("ran %q, want %q", got, tt.ran)
			}
			if (s.err != nil) != tt.fails {
				t.Errorf("error %v", s.err)
			}
		})
	}
}

// A shout is a dialect: an action's name in capitals, at the beginning of a reply.
type shout struct{ dialect.Pass }

func (shout) Find(r *dialect.Reply) []dialect.Region {
	if !strings.HasPrefix(r.Text, "ACT") {
		return nil
	}
	return []dialect.Region{{Span: dialect.Span{End: 3}, Request: &actions.Request{Type: "act", Args: json.RawMessage(`{"type":"act"}`)}}}
}

func (shout) Preview(r *dialect.Reply) ([]dialect.Region, int) { return nil, len(r.Text) }

func TestATurnUnderstandsItsDialects(t *testing.T) {
	for _, tt := range []struct {
		name   string
		speaks dialect.List
		want   string
	}{
		{"blocks by default", nil, "ACT now"},
		{"another one", dialect.List{{Pass: shout{}}}, "now\n\nDone: act"},
	} {
		s := scene{model: says("ACT now"), speaks: tt.speaks}
		s.play(t)
		if diff := cmp.Diff([]string{tt.want}, s.wall.shown()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestEveryRoundAsksTheChosenModel(t *testing.T) {
	model := script.New(script.Say(block("look")), script.Say("Two."))
	s := scene{model: model}
	s.play(t)
	for _, req := range model.Requests() {
		if got := (llm.Choice{Runtime: req.Runtime, Model: req.Model}); got != chosen {
			t.Errorf("%s was asked", got)
		}
	}
	if len(model.Requests()) != 2 || s.outcome.Model != chosen {
		t.Errorf("%d requests, told as made of %s", len(model.Requests()), s.outcome.Model)
	}
}

func TestAnUnawaitedTurnIsCancelledWithoutAMessage(t *testing.T) {
	for _, cause := range []error{turn.ErrStopped, turn.ErrGoingDown} {
		s := &scene{alone: true}
		s.model = script.Func(func(ctx context.Context, _ llm.Request) iter.Seq2[llm.Event, error] {
			s.stop(cause)
			return script.Say("Hello." + block("act")).Stream(ctx)
		})
		s.play(t)
		if !errors.Is(s.err, cause) || len(s.wall.shown()) > 0 || len(s.ran) > 0 {
			t.Errorf("%v: it shows %q, ran %q and ends with %v", cause, s.wall.shown(), s.ran, s.err)
		}
	}
}

var errRefused = errors.New("refused")

func refuseAll(int, string) (string, error) { return "", errRefused }

func refuseFirst(n int, text string) (string, error) {
	if n == 0 {
		return "", errRefused
	}
	return text, nil
}

func refuseSecondLine(n int, text string) (string, error) {
	if n == 0 {
		first, _, _ := strings.Cut(text, "\n")
		return first, errRefused
	}
	return text, nil
}

func TestAnAnswerThatIsTooLongFailsTheTurn(t *testing.T) {
	s := scene{model: script.Func(func(context.Context, llm.Request) iter.Seq2[llm.Event, error] {
		return func(yield func(llm.Event, error) bool) {
			for yield(llm.TextDelta{Text: block("act") + strings.Repeat("blah ", 200)}, nil) {
			}
		}
	})}
	s.play(t)
	if s.err == nil || s.ran != nil || !strings.Contains(strings.Join(s.wall.shown(), ""), "did not come to an end") {
		t.Errorf("error %v, ran %v", s.err, s.ran)
	}
}

// TestTheLastCapsuleOfATurnIsInTheResult: that of an earlier round stays, if the last one has none.
func TestTheLastCapsuleOfATurnIsInTheResult(t *testing.T) {
	for want, model := range map[string]llm.Runtime{
		"":                          says("Hello."),
		"Focus: a\nNext step: rest": says("Wait."+capsule("a")+block("look"), "Two."),
		"Focus: b\nNext step: rest": says("Wait."+capsule("a")+block("look"), "Two."+capsule("b")),
	} {
		s := scene{model: model}
		s.play(t)
		if got := s.outcome.Capsule.Text; got != want || s.err != nil {
			t.Errorf("the capsule is %q, want %q: %v", got, want, s.err)
		}
	}
}

func TestADroppedAnswerIsNotInTheResult(t *testing.T) {
	s := scene{model: says("Hello."), wall: wall{failing: func(int, string) (string, error) { return "", nil }}}
	s.play(t)
	if s.err != nil || s.outcome.Text != "" || len(s.outcome.Receipts) != 0 {
		t.Errorf("%+v, %v", s.outcome, s.err)
	}
}

func TestTheResultHasTextAndReceipts(t *testing.T) {
	s := scene{model: script.New(
		script.Answer{script.Text("Wait." + block("act") + block("look")), script.Usage(10, 5)},
		script.Answer{script.Text("Two."), script.Usage(20, 1)},
	)}
	s.play(t)
	r := s.outcome
	if r.Text != "Wait.\n\nDone: act\n-# Done: looked it up\n\nTwo." || len(r.Receipts) != 2 || len(r.Outcomes()) != 2 || len(r.Rounds) != 2 ||
		r.Rounds[0].Usage != (llm.Usage{Input: 10, Output: 5}) || r.Rounds[1].Usage != (llm.Usage{Input: 20, Output: 1}) || r.Rounds[1].Answer != len("Two.") {
		t.Errorf("%+v", r)
	}
}
