package script_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/script"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func ask(text string) llm.Request {
	return llm.Request{Messages: []llm.Message{{Role: llm.User, Text: text}}}
}

func collect(s iter.Seq2[llm.Event, error]) (events []llm.Event, err error) {
	for event, err := range s {
		if err != nil {
			return events, err
		}
		events = append(events, event)
	}
	return events, nil
}

func TestRepliesComeInOrder(t *testing.T) {
	r := script.New(script.Say("one"), script.Answer{script.Think(), script.Text("two"), script.Usage(3, 4)})
	r.Add(script.Say("three"))
	for i, want := range [][]llm.Event{
		{llm.TextDelta{Text: "one"}}, {llm.Thinking{}, llm.TextDelta{Text: "two"}, llm.Usage{Input: 3, Output: 4}}, {llm.TextDelta{Text: "three"}},
	} {
		got, err := collect(r.Invoke(t.Context(), ask(fmt.Sprint(i))))
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("answer %d: %v (-want +got):\n%s", i, err, diff)
		}
	}
	if diff := cmp.Diff([]llm.Request{ask("0"), ask("1"), ask("2")}, r.Requests()); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

func TestRepliesRunOut(t *testing.T) {
	var r script.Replies
	_, err := collect(r.Invoke(t.Context(), ask("anybody?")))
	e, ok := errors.AsType[*llm.Error](err)
	if !ok || e.Kind != llm.Refused {
		t.Fatalf("got %v, want a refusal", err)
	}
	if got, want := err.Error(), "script refused the request; add an answer to request 1 to the script"; got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
}

func TestARequestCountsWhenItIsRead(t *testing.T) {
	r := script.New(script.Say("one"))
	stream := r.Invoke(t.Context(), ask("hello"))
	if r.Left() != 1 || len(r.Requests()) != 0 {
		t.Error("the request counted before it was read")
	}
	if _, err := collect(stream); err != nil || r.Left() != 0 || len(r.Requests()) != 1 {
		t.Errorf("%v; %d answers left, %d requests", err, r.Left(), len(r.Requests()))
	}
}

func TestRequestsAreKeptAsTheyWere(t *testing.T) {
	r := script.New(script.Say("one"))
	req := ask("before")
	if _, err := collect(r.Invoke(t.Context(), req)); err != nil {
		t.Fatal(err)
	}
	req.Messages[0].Text = "after"
	if got := r.Requests()[0].Messages[0].Text; got != "before" {
		t.Errorf("the request became %q", got)
	}
}

func TestAnErrorEndsTheAnswer(t *testing.T) {
	broken := &llm.Error{Kind: llm.Broken}
	got, err := collect(script.Answer{script.Text("one"), script.Fail(broken), script.Text("two")}.Stream(t.Context()))
	if err != broken || len(got) != 1 {
		t.Errorf("got %v and %v", got, err)
	}
}

func TestTypingTakesTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const text = "one two\nthree  four"
		began := time.Now()
		var came string
		words := 0
		for event, err := range script.Typing(text, time.Second).Stream(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			came += event.(llm.TextDelta).Text
			words++
			if d := time.Since(began); d != time.Duration(words)*time.Second {
				t.Errorf("piece %d came after %s", words, d)
			}
		}
		if came != text {
			t.Errorf("%q was typed, want %q", came, text)
		}
	})
}

func TestPausesEndWithTheRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stopped := errors.New("stopped")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(stopped) })
		began := time.Now()
		if _, err := collect(script.Answer{script.Pause(time.Hour)}.Stream(ctx)); err != stopped || time.Since(began) != time.Second {
			t.Errorf("got %v after %s", err, time.Since(began))
		}
		if got, err := collect(script.Say("too late").Stream(ctx)); err != stopped || got != nil {
			t.Errorf("got %v and %v after the end", got, err)
		}
	})
}

func TestLeavingIsFine(t *testing.T) {
	for range script.New(script.Typing("one two", 0)).Invoke(t.Context(), ask("hello")) {
		break
	}
}

func TestRepliesServeManyAtOnce(t *testing.T) {
	r := script.New()
	const n = 20
	for range n {
		r.Add(script.Say("hello"))
	}
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			if _, err := collect(r.Invoke(t.Context(), ask("hello"))); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if r.Left() != 0 || len(r.Requests()) != n {
		t.Errorf("%d answers are left after %d requests", r.Left(), len(r.Requests()))
	}
}

func TestFuncDependsOnTheQuestion(t *testing.T) {
	echo := script.Func(func(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
		return script.Say(req.Messages[0].Text).Stream(ctx)
	})
	got, err := collect(echo.Invoke(t.Context(), ask("hello")))
	if diff := cmp.Diff([]llm.Event{llm.TextDelta{Text: "hello"}}, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}
