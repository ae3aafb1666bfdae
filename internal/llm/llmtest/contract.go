package llmtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"discoclaw/internal/llm"
)

// Run checks that an adapter keeps what [llm.Runtime] promises, whatever the server does. The
// runtime must use the vendor that comes with it, and should have a key, which the server
// then tries to make it leak.
//
// Every check has its own bubble, which fails if a goroutine leaks. Run also looks for
// goroutines outside, so the test that calls it must not be parallel.
//
// A vendor that lacks something skips the checks of it by their names, with a reason.
func Run(t *testing.T, setUp func(t *testing.T) (Vendor, llm.Runtime), lacks ...Lack) {
	t.Helper()
	before := goleak.IgnoreCurrent()
	t.Cleanup(func() { goleak.VerifyNone(t, before) })
	check := func(name string, f func(t *testing.T, v Vendor, r llm.Runtime)) {
		t.Run(name, func(t *testing.T) {
			skip(t, name, lacks)
			synctest.Test(t, func(t *testing.T) {
				vendor, runtime := setUp(t)
				t.Cleanup(vendor.Close)
				f(t, vendor, runtime)
			})
		})
	}
	check("asks as the API wants to be asked", checkRequest)
	check("shows images", checkImages)
	check("shows documents", checkDocuments)
	check("offers tools and passes calls on", checkTools)
	check("passes a malformed call on", checkMalformedCall)
	check("makes no calls of an answer that is not whole", checkCutCalls)
	check("gives text and tokens", checkAnswer)
	check("passes text on as it comes", checkStreaming)
	check("tells thinking from hanging", checkThinking)
	check("ends the request when the consumer leaves", checkLeaving)
	check("sends nothing when it is cancelled before", checkCancelledBefore)
	check("ends the request when it is cancelled", checkCancelled)
	check("ends the request when it waits for a response and is cancelled", checkCancelledInSilence)
	check("ends the request when the server stalls", checkStall)
	check("ends the request when the answer drips for too long", checkDrip)
	check("says how long to wait", checkRetryAfter)
	check("keeps requests apart", checkConcurrency)
	for _, f := range failures() {
		check("fails on "+f.name, f.check)
	}
}

// A Lack names a check that has no meaning for a vendor.
type Lack struct{ Check, Why string }

func skip(t *testing.T, check string, lacks []Lack) {
	t.Helper()
	if i := slices.IndexFunc(lacks, func(l Lack) bool { return l.Check == check }); i >= 0 {
		t.Skip(lacks[i].Why)
	}
}

var question = llm.Request{
	System: "You are a bot.",
	Messages: []llm.Message{
		{Role: llm.User, Text: "Hello?"}, {Role: llm.Assistant, Text: "Yes?"}, {Role: llm.User, Text: "What is new?"},
	},
	Model: "model-1",
}

// Heard is the result of a request.
type Heard struct {
	Text     string
	Pieces   int
	Thinking int
	Calls    []llm.ToolCall
	Images   []llm.Image
	Usage    llm.Usage
	Err      error
}

// Kind returns the kind of the error, if it is one of a runtime.
func (h Heard) Kind() llm.Kind {
	if e, ok := errors.AsType[*llm.Error](h.Err); ok {
		return e.Kind
	}
	return ""
}

// Details returns what the log has of the error.
func (h Heard) Details() string {
	if e, ok := errors.AsType[*llm.Error](h.Err); ok {
		return e.Details()
	}
	return fmt.Sprint(h.Err)
}

// Ask makes a request.
func Ask(ctx context.Context, r llm.Runtime, req llm.Request) Heard {
	var h Heard
	for event, err := range r.Invoke(ctx, req) {
		if err != nil {
			h.Err = err
			continue // an event after an error would show
		}
		switch e := event.(type) {
		case llm.TextDelta:
			h.Text += e.Text
			h.Pieces++
		case llm.Thinking:
			h.Thinking++
		case llm.ToolCall:
			h.Calls = append(h.Calls, e)
		case llm.Image:
			h.Images = append(h.Images, e)
		case llm.Usage:
			h.Usage.Add(e)
		}
	}
	return h
}

func checkRequest(t *testing.T, v Vendor, r llm.Runtime) {
	v.Next(saying("Nothing."))
	req := question
	req.Messages = append([]llm.Message{{Role: llm.User}}, req.Messages...) // an empty message is not sent
	if s := Ask(t.Context(), r, req); s.Err != nil {
		t.Fatal(s.Err)
	}
	got := v.Asked()
	if len(got) != 1 {
		t.Fatalf("%d requests were sent, want 1", len(got))
	}
	got[0].Key, got[0].MaxOutput = "", 0 // Anthropic's API always wants a limit
	want := Asked{Request: question}
	if diff := cmp.Diff(want, got[0]); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}
}

func checkImages(t *testing.T, v Vendor, r llm.Runtime) {
	v.Always(saying("A cat."))
	images := []llm.Image{{Type: "image/png", Data: []byte("\x89PNG cat")}, {Type: "image/jpeg", Data: []byte{0xff, 0xd8, 0xff, 0}}}
	for _, text := range []string{"What is this?", ""} {
		s := Ask(t.Context(), r, llm.Request{Model: "model-1", Messages: []llm.Message{{Role: llm.User, Text: text, Images: images}}})
		if s.Err != nil {
			t.Fatal(s.Err)
		}
	}
	want := [][]llm.Message{{{Role: llm.User, Text: "What is this?", Images: images}}, {{Role: llm.User, Images: images}}}
	for i, got := range v.Asked() {
		if diff := cmp.Diff(want[i], got.Messages); diff != "" {
			t.Errorf("messages (-want +got):\n%s", diff)
		}
	}
}

func checkDocuments(t *testing.T, v Vendor, r llm.Runtime) {
	v.Next(saying("A bill."))
	want := []llm.Message{{Role: llm.User, Text: "What is this?", Documents: []llm.Document{{Name: "bill.pdf", Type: "application/pdf", Data: []byte("%PDF-1.7 bill")}}}}
	if s := Ask(t.Context(), r, llm.Request{Model: "model-1", Messages: want}); s.Err != nil {
		t.Fatal(s.Err)
	}
	if diff := cmp.Diff(want, v.Asked()[0].Messages); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
}

// checkTools has two calls in one answer, one of which fails, and the conversation that goes on with them.
func checkTools(t *testing.T, v Vendor, r llm.Runtime) {
	const schema = `{"type":"object","properties":{"path":{"type":"string","description":"Where."}},"required":["path"],"additionalProperties":false}`
	req := question
	req.Tools = []llm.Tool{{Name: "read_file", Description: "Read a file.", Schema: json.RawMessage(schema)}}
	v.Next(func(x Response) {
		x.Say("Let me see.")
		x.Call(llm.ToolCall{Name: "read_file", Input: json.RawMessage(`{"path":"a \"b\" 🦞"}`)})
		x.Call(llm.ToolCall{Name: "read_file", Input: json.RawMessage(`{"path":"c"}`)})
		x.Done(tokens)
	})
	made := Ask(t.Context(), r, req).Calls
	if len(made) != 2 || made[0].Name != "read_file" || string(made[0].Input) != `{"path":"a \"b\" 🦞"}` || string(made[1].Input) != `{"path":"c"}` || made[0].ID == made[1].ID {
		t.Fatalf("the calls are %+v", made)
	}
	req.Messages = append(slices.Clone(req.Messages),
		llm.Message{Role: llm.Assistant, Text: "Let me see.", Calls: made},
		llm.Message{Role: llm.User, Results: []llm.ToolResult{
			{ID: made[0].ID, Name: "read_file", Text: "one"}, {ID: made[1].ID, Name: "read_file", Text: "no such file", Failed: true},
		}},
	)
	v.Next(saying("One."))
	if s := Ask(t.Context(), r, req); s.Err != nil || s.Text != "One." {
		t.Fatalf("got %+v", s)
	}
	for i, asked := range v.Asked() {
		if len(asked.Tools) != 1 || asked.Tools[0].Name != "read_file" || asked.Tools[0].Description != "Read a file." {
			t.Errorf("request %d offers %+v", i, asked.Tools)
		} else if diff := cmp.Diff(decoded(t, []byte(schema)), decoded(t, asked.Tools[0].Schema)); diff != "" {
			t.Errorf("schema of request %d (-want +got):\n%s", i, diff)
		}
	}
	// What is in a seal is between an adapter and its vendor, which refuses a call without it.
	seals := cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".Seal" }, cmp.Ignore())
	if diff := cmp.Diff(req.Messages, v.Asked()[1].Messages, seals); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
}

func decoded(t *testing.T, text []byte) (value any) {
	t.Helper()
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatal(err)
	}
	return value
}

// checkMalformedCall: the consumer tells the model what is wrong with it, so it must get it as it is.
func checkMalformedCall(t *testing.T, v Vendor, r llm.Runtime) {
	v.Next(func(x Response) {
		x.Call(llm.ToolCall{Name: "read_file", Input: json.RawMessage(`{"path":`)})
		x.Done(tokens)
	})
	req := question
	req.Tools = []llm.Tool{{Name: "read_file", Description: "Read a file.", Schema: json.RawMessage(`{"type":"object"}`)}}
	made := Ask(t.Context(), r, req).Calls
	if len(made) != 1 || string(made[0].Input) != `{"path":` {
		t.Fatalf("the calls are %+v", made)
	}
	req.Messages = append(slices.Clone(req.Messages),
		llm.Message{Role: llm.Assistant, Calls: made},
		llm.Message{Role: llm.User, Results: []llm.ToolResult{{ID: made[0].ID, Name: "read_file", Text: "malformed", Failed: true}}},
	)
	v.Next(saying("Sorry."))
	if s := Ask(t.Context(), r, req); s.Err != nil || s.Text != "Sorry." {
		t.Errorf("got %+v", s)
	}
}

func checkCutCalls(t *testing.T, v Vendor, r llm.Runtime) {
	for _, end := range []Script{func(Response) {}, func(x Response) { x.Fail(llm.Error{Kind: llm.Cut}) }} {
		v.Next(func(x Response) {
			x.Call(llm.ToolCall{Name: "read_file", Input: json.RawMessage(`{"path":"a"}`)})
			end(x)
		})
		if s := Ask(t.Context(), r, question); s.Err == nil || len(s.Calls) > 0 {
			t.Errorf("got %+v", s)
		}
	}
}

func checkAnswer(t *testing.T, v Vendor, r llm.Runtime) {
	v.Next(saying("Nothing ", "much, ", "thank you. 🦞"))
	s := Ask(t.Context(), r, question)
	want := Heard{Text: "Nothing much, thank you. 🦞", Pieces: 3, Usage: tokens}
	if !reflect.DeepEqual(s, want) {
		t.Errorf("got %+v, want %+v", s, want)
	}
}

func checkStreaming(t *testing.T, v Vendor, r llm.Runtime) {
	v.Next(func(x Response) {
		x.Say("one")
		x.Wait(10 * time.Second)
		x.Say("two")
		x.Wait(10 * time.Second)
		x.Done(tokens)
	})
	began := time.Now()
	var came []string
	for event, err := range r.Invoke(t.Context(), question) {
		if err != nil {
			t.Fatal(err)
		}
		if text, ok := event.(llm.TextDelta); ok {
			came = append(came, fmt.Sprintf("%s after %s", text.Text, time.Since(began)))
		}
	}
	if diff := cmp.Diff([]string{"one after 0s", "two after 10s"}, came); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
}

func checkThinking(t *testing.T, v Vendor, r llm.Runtime) {
	v.Next(func(x Response) {
		for range 5 {
			x.Think("hmm")
			x.Wait(time.Minute)
		}
		x.Say("Yes.")
		x.Done(tokens)
	})
	watched := llm.Watched(r, llm.WatchOptions{Stall: 2 * time.Minute})
	s := Ask(t.Context(), watched, question)
	if s.Err != nil || s.Text != "Yes." || s.Thinking == 0 {
		t.Errorf("got %+v, want some thinking and then an answer", s)
	}
}

func checkLeaving(t *testing.T, v Vendor, r llm.Runtime) {
	v.Next(stalling("one", "two"))
	for range r.Invoke(t.Context(), question) {
		break
	}
	requireIdle(t, v)
}

// requireIdle fails unless the server has noticed that the client has left.
func requireIdle(t *testing.T, v Vendor) {
	t.Helper()
	synctest.Wait()
	if n := v.Active(); n != 0 {
		t.Errorf("%d requests are still open", n)
	}
}

var errStopped = errors.New("somebody pressed stop")

func checkCancelledBefore(t *testing.T, v Vendor, r llm.Runtime) {
	v.Next(saying("Hello."))
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errStopped)
	if s := Ask(ctx, r, question); !reflect.DeepEqual(s, Heard{Err: errStopped}) {
		t.Errorf("got %+v, want nothing but the cause", s)
	}
	if n := len(v.Asked()); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
}

func checkCancelled(t *testing.T, v Vendor, r llm.Runtime) {
	v.Next(stalling("one"))
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(time.Minute, func() { cancel(errStopped) })
	if s := Ask(ctx, r, question); !reflect.DeepEqual(s, Heard{Text: "one", Pieces: 1, Err: errStopped}) {
		t.Errorf("got %+v, want the text and then the cause", s)
	}
	requireIdle(t, v)
}

func checkCancelledInSilence(t *testing.T, v Vendor, r llm.Runtime) {
	v.Next(stalling())
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(time.Second, func() { cancel(errStopped) })
	if s := Ask(ctx, r, question); !reflect.DeepEqual(s, Heard{Err: errStopped}) {
		t.Errorf("got %+v, want nothing but the cause", s)
	}
	requireIdle(t, v)
}

func checkStall(t *testing.T, v Vendor, r llm.Runtime) {
	v.Next(stalling("one"))
	began := time.Now()
	s := Ask(t.Context(), llm.Watched(r, llm.WatchOptions{Stall: time.Minute}), question)
	requireKind(t, s.Err, llm.Stalled)
	if s.Text != "one" || time.Since(began) != time.Minute {
		t.Errorf("%q came, and the end after %s, want \"one\" and a minute", s.Text, time.Since(began))
	}
	requireIdle(t, v)
}

func checkDrip(t *testing.T, v Vendor, r llm.Runtime) {
	v.Next(func(x Response) {
		for range 100 {
			x.Say("a")
			x.Wait(50 * time.Second)
		}
		x.Done(tokens)
	})
	s := Ask(t.Context(), llm.Watched(r, llm.WatchOptions{Stall: time.Minute, Limit: 10 * time.Minute}), question)
	requireKind(t, s.Err, llm.Timeout)
	requireIdle(t, v)
}

func checkRetryAfter(t *testing.T, v Vendor, r llm.Runtime) {
	v.Next(failingWith(llm.Error{Kind: llm.RateLimited, RetryAfter: 20 * time.Second}))
	s := Ask(t.Context(), r, question)
	e := requireKind(t, s.Err, llm.RateLimited)
	if e.RetryAfter != 20*time.Second || e.Status != http.StatusTooManyRequests {
		t.Errorf("got %+v, want status 429 and 20 s", e)
	}
}

func checkConcurrency(t *testing.T, v Vendor, r llm.Runtime) {
	v.Always(func(x Response) {
		x.Say("re: ")
		x.Wait(time.Second)
		saying(x.Asked().Messages[0].Text)(x)
	})
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			text := fmt.Sprintf("question %d", i)
			s := Ask(t.Context(), r, llm.Request{Model: "model-1", Messages: []llm.Message{{Role: llm.User, Text: text}}})
			if s.Err != nil || s.Text != "re: "+text {
				t.Errorf("%q was answered with %+v", text, s)
			}
		})
	}
	wg.Wait()
}

// A failure is a script that fails and the error that it must lead to.
type failure struct {
	name   string
	script Script
	kind   llm.Kind
	text   string // that came before
}

func failures() []failure {
	return []failure{
		{name: "a wrong key", script: failingWith(llm.Error{Kind: llm.Unauthorized}), kind: llm.Unauthorized},
		{name: "an empty account", script: failingWith(llm.Error{Kind: llm.NoCredit}), kind: llm.NoCredit},
		{name: "too many requests", script: failingWith(llm.Error{Kind: llm.RateLimited, RetryAfter: time.Second}), kind: llm.RateLimited},
		{name: "too much text", script: failingWith(llm.Error{Kind: llm.TooLong}), kind: llm.TooLong},
		{name: "an unknown model", script: failingWith(llm.Error{Kind: llm.NoSuchModel}), kind: llm.NoSuchModel},
		{name: "a server that is out of order", script: failingWith(llm.Error{Kind: llm.Unavailable, Status: http.StatusInternalServerError}), kind: llm.Unavailable},
		{name: "an overloaded server", script: failingWith(llm.Error{Kind: llm.Unavailable, Status: http.StatusServiceUnavailable}), kind: llm.Unavailable},
		{name: "a gateway without a server", script: webPage(http.StatusBadGateway), kind: llm.Unavailable},
		{name: "a connection that breaks at once", script: Response.Die, kind: llm.Broken},
		{name: "a request that is not accepted", script: failingWith(llm.Error{Kind: llm.Refused}), kind: llm.Refused},
		{name: "a web page", script: webPage(http.StatusOK), kind: llm.Refused},
		{name: "an address where nothing is", script: webPage(http.StatusNotFound), kind: llm.Refused},
		{name: "a length limit", script: failingWith(llm.Error{Kind: llm.Cut}, "Once upon"), kind: llm.Cut, text: "Once upon"},
		{name: "a content filter", script: failingWith(llm.Error{Kind: llm.Blocked}, "Once upon"), kind: llm.Blocked, text: "Once upon"},
		{name: "a connection that breaks", script: ending(Response.Die, "Once upon"), kind: llm.Broken, text: "Once upon"},
		{name: "a stream that ends early", script: ending(func(Response) {}, "Once upon"), kind: llm.Broken, text: "Once upon"},
		{name: "a connection that breaks in the middle of a character", script: ending(func(x Response) { x.Tear("a 🦞") }, "Once upon"), kind: llm.Broken, text: "Once upon"},
		{name: "a malformed event", script: ending(garbled, "Once upon"), kind: llm.Broken, text: "Once upon"},
		{name: "a huge event", script: saying(strings.Repeat("x", 2<<20)), kind: llm.Broken},
		{name: "an error in the middle", script: failingWith(llm.Error{Kind: llm.Unavailable}, "Once upon"), kind: llm.Unavailable, text: "Once upon"},
	}
}

// tokens is the usage of every good answer.
var tokens = llm.Usage{Input: 9, Cached: 4, Output: 5}

func ending(with Script, pieces ...string) Script {
	return func(x Response) {
		for _, p := range pieces {
			x.Say(p)
		}
		with(x)
	}
}

func saying(pieces ...string) Script {
	return ending(func(x Response) { x.Done(tokens) }, pieces...)
}

func stalling(pieces ...string) Script { return ending(Response.Hang, pieces...) }

func failingWith(e llm.Error, pieces ...string) Script {
	return ending(func(x Response) { x.Fail(e) }, pieces...)
}

func garbled(x Response) {
	x.Garble()
	x.Done(tokens)
}

func webPage(status int) Script {
	return func(x Response) {
		x.Write(status, "text/html; charset=utf-8", "<!doctype html>\n<html><body>Welcome!</body></html>\n")
	}
}

func (f failure) check(t *testing.T, v Vendor, r llm.Runtime) {
	v.Next(f.script)
	s := Ask(t.Context(), r, question)
	requireKind(t, s.Err, f.kind)
	if s.Text != f.text {
		t.Errorf("%q came before the error, want %q", s.Text, f.text)
	}
	requireSecret(t, v.Asked()[0].Key, s.Err)
	requireIdle(t, v)
}

// requireKind fails unless err is of the kind and fit to be shown.
func requireKind(t *testing.T, err error, want llm.Kind) *llm.Error {
	t.Helper()
	e, ok := errors.AsType[*llm.Error](err)
	if !ok {
		t.Fatalf("the error is %v, want an *llm.Error", err)
	}
	if e.Kind != want {
		t.Errorf("the error is of the kind %q, want %q; it is %s", e.Kind, want, e.Details())
	}
	text := e.Error()
	if first := rune(text[0]); !unicode.IsLower(first) || strings.HasSuffix(text, ".") || strings.ContainsAny(text, "\n<>{}") {
		t.Errorf("%q is not a sentence in the style of errors", text)
	}
	return e
}

// requireSecret fails if the key can be read anywhere in the error.
func requireSecret(t *testing.T, key string, err error) {
	t.Helper()
	e, ok := errors.AsType[*llm.Error](err)
	if key == "" || !ok {
		return
	}
	cause := ""
	if e.Err != nil {
		cause = e.Err.Error()
	}
	for _, text := range []string{e.Error(), e.Details(), cause} {
		if strings.Contains(text, key) {
			t.Error("the error shows the key")
		}
	}
}
