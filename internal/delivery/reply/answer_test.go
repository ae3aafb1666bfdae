package reply_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/turn"
)

func TestAnAnswerGrowsFromAPlaceholder(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		r, asked := b.open(t, "general")
		first := b.message(t, b.id())
		if first.Content != "**Thinking.**" || first.ReplyTo != asked.ID {
			t.Errorf("placeholder = %+v", first)
		}
		if buttons := first.Buttons(); len(buttons) != 1 || buttons[0].CustomID != "stop:1" || buttons[0].Label != "Stop" {
			t.Errorf("buttons = %+v", buttons)
		}
		if err := r.Preview(t.Context(), "so far"); err != nil {
			t.Fatal(err)
		}
		if m := b.message(t, b.id()); m.Content != "so far" || len(m.Buttons()) != 1 {
			t.Errorf("preview = %+v", m)
		}
		receipt, err := r.Finish(t.Context(), turn.Body{Text: "the answer"})
		if err != nil {
			t.Fatal(err)
		}
		if m := b.message(t, b.id()); m.Content != "the answer" || len(m.Buttons()) != 0 {
			t.Errorf("answer = %+v", m)
		}
		want := chat.Receipt{Channel: b.ChannelID("general"), Messages: []chat.MessageID{b.id()}}
		if diff := cmp.Diff(want, receipt); diff != "" {
			t.Errorf("receipt (-want +got):\n%s", diff)
		}
		if got := len(b.routes()); got != 3 {
			t.Errorf("%d requests, want one each for placeholder, preview and answer", got)
		}
	})
}

// TestATurnThatWasStoppedOpensNothing, and says why: the error is no failure of Discord's.
func TestATurnThatWasStoppedOpensNothing(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		ctx, stop := context.WithCancelCause(t.Context())
		stop(turn.ErrSteered)
		if _, err := b.replies.Venue(b.options("general", "turn")).Open(ctx, turn.First, "**Thinking.**"); !errors.Is(err, turn.ErrSteered) {
			t.Errorf("it returns %v", err)
		}
		if got := b.texts("general"); len(got) > 0 {
			t.Errorf("%q is posted", got)
		}
	})
}

func TestOnlyTheFirstAnswerOfATurnIsAReply(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		asked := b.MustSay("ada", "general", "question")
		o := b.options("general", "turn")
		o.Place.Message = asked.ID
		var targets []chat.MessageID
		for _, key := range []string{turn.First, "1"} {
			b.openAs(t, o, key)
			targets = append(targets, b.message(t, b.id()).ReplyTo)
		}
		if diff := cmp.Diff([]chat.MessageID{asked.ID, ""}, targets); diff != "" {
			t.Error(diff)
		}
	})
}

func TestAPlaceholderAppearsAlthoughTheQuestionIsGone(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		o := b.options("general", "turn")
		o.Place.Message = "123456789012345678"
		b.openAs(t, o, turn.First)
	})
}

func TestALongAnswerFollowsInOrderWithItsFilesLast(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		chunks string // a letter each
		files  int
		want   []string // text and number of files
	}{
		{"a", 0, []string{"a 0"}},
		{"a", 3, []string{"a 3"}},
		{"abc", 0, []string{"a 0", "b 0", "c 0"}},
		{"ab", 1, []string{"a 0", "b 1"}},
		{"ab", 23, []string{"a 0", "b 10", " 10", " 3"}},
		{"", 12, []string{" 10", " 2"}},
	} {
		t.Run(fmt.Sprintf("%d chunks and %d files", len(tt.chunks), tt.files), func(t *testing.T) {
			t.Parallel()
			onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
				var files []chat.File
				for i := range tt.files {
					files = append(files, file(fmt.Sprintf("%d.txt", i), fmt.Sprint(i)))
				}
				r, _ := b.open(t, "general")
				receipt, err := r.Finish(t.Context(), turn.Body{Text: long(tt.chunks), Pictures: files})
				if err != nil {
					t.Fatal(err)
				}
				var got []string
				var ids []chat.MessageID
				seen := 0
				for _, m := range b.Messages("#general")[1:] {
					got = append(got, fmt.Sprintf("%s %d", letters([]string{m.Content})[0], len(m.Attachments)))
					ids = append(ids, m.ID)
					for _, a := range m.Attachments {
						if a.Name != fmt.Sprintf("%d.txt", seen) || string(a.Data) != fmt.Sprint(seen) {
							t.Errorf("file %d is %s with %q", seen, a.Name, a.Data)
						}
						seen++
					}
				}
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				if diff := cmp.Diff(ids, receipt.Messages); diff != "" {
					t.Errorf("receipt (-want +got):\n%s", diff)
				}
			})
		})
	}
}

func TestAnAnswerIsPostedAnewIfItsPlaceholderWasDeleted(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		r, _ := b.open(t, "general")
		gone := b.id()
		b.Must(b.Bot.Delete(t.Context(), b.ChannelID("general"), gone))
		if err := r.Preview(t.Context(), "so far"); !isGone(err) {
			t.Errorf("preview: %v", err)
		}
		receipt, err := r.Finish(t.Context(), turn.Body{Text: long("ab"), Pictures: []chat.File{file("a.txt", "a")}})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"question", "a", "b"}, letters(b.texts("#general"))); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if len(receipt.Messages) != 2 || receipt.Messages[0] == gone {
			t.Errorf("receipt = %+v, and the placeholder was %s", receipt, gone)
		}
	})
}

func TestAnAnswerInAnArchivedThreadCountsAsDelivered(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general\nthread \"help me\" in #general", func(t *testing.T, b *bench) {
		r, _ := b.open(t, "help me")
		if err := b.Archive("help me"); err != nil {
			t.Fatal(err)
		}
		receipt, err := r.Finish(t.Context(), turn.Body{Text: long("ab")})
		if err != nil {
			t.Fatal(err)
		}
		if len(receipt.Messages) > 0 || receipt.Channel != "" {
			t.Errorf("receipt = %+v", receipt)
		}
		if diff := cmp.Diff([]string{"DELETE /channels/{channel}/messages/{message}"}, b.routes()[2:]); diff != "" {
			t.Errorf("requests after the edit (-want +got):\n%s", diff)
		}
	})
}

// silently finishes an answer without a placeholder.
func (b *bench) silently(t *testing.T, channel, text string) (chat.Receipt, error) {
	t.Helper()
	o := b.options(channel, "turn")
	o.Stop = ""
	return b.openAs(t, o, turn.First).Finish(t.Context(), turn.Body{Text: text})
}

// TestASilentAnswerIsPostedOnceWhenItIsFinished: nothing is posted before, and the answer is found
// when it is delivered again.
func TestASilentAnswerIsPostedOnceWhenItIsFinished(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		o := b.options("general", "turn")
		o.Stop = ""
		dropped := b.openAs(t, o, turn.First)
		if err := errors.Join(dropped.Preview(t.Context(), "one"), dropped.Discard(t.Context())); err != nil {
			t.Error(err)
		}
		if said := b.texts("#general"); len(said) > 0 || len(b.opened) > 0 {
			t.Errorf("it says %q before there is an answer", said)
		}
		for _, first := range []string{"x", "a"} {
			b.start(t)
			if _, err := b.silently(t, "general", long(first+"b")); err != nil {
				t.Error(err)
			}
		}
		if diff := cmp.Diff([]string{"a", "b"}, letters(b.texts("#general"))); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// TestASilentAnswerOfAnEarlierAttemptIsCorrected: an earlier attempt has posted another text, and
// Discord's response was lost.
func TestASilentAnswerOfAnEarlierAttemptIsCorrected(t *testing.T) {
	t.Parallel()
	for _, pause := range []time.Duration{0, aWhile} {
		onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
			b.Fail(fakediscord.Fault{Match: postMessage, Accepted: true})
			if _, err := b.silently(t, "general", turn.Undelivered); err == nil {
				t.Fatal("nothing was lost")
			}
			b.Recover()
			time.Sleep(pause)
			if _, err := b.silently(t, "general", long("ab")); err != nil {
				t.Error(err)
			}
			if diff := cmp.Diff([]string{"a", "b"}, letters(b.texts("#general"))); diff != "" {
				t.Errorf("after %v (-want +got):\n%s", pause, diff)
			}
		})
	}
}

// TestASilentAnswerInAnArchivedThreadIsFinished: a part of it was there before.
func TestASilentAnswerInAnArchivedThreadIsFinished(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general\nthread \"help me\" in #general", func(t *testing.T, b *bench) {
		if _, err := b.silently(t, "help me", long("a")); err != nil {
			t.Fatal(err)
		}
		b.Must(b.Archive("help me"))
		receipt, err := b.silently(t, "help me", long("ab"))
		if err != nil || len(receipt.Messages) != 2 {
			t.Errorf("%v, %v", receipt, err)
		}
		if diff := cmp.Diff([]string{"a", "b"}, letters(b.texts("help me"))); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestDiscardRemovesThePlaceholder(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		r, _ := b.open(t, "general")
		for range 2 { // the second time it is gone already
			if err := r.Discard(t.Context()); err != nil {
				t.Error(err)
			}
		}
		if diff := cmp.Diff([]string{"question"}, b.texts("#general")); diff != "" {
			t.Error(diff)
		}
	})
}

func TestAnEmptyAnswerChangesNothing(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		r, _ := b.open(t, "general")
		if _, err := r.Finish(t.Context(), turn.Body{Text: " \n"}); err == nil {
			t.Error("Finish took nothing for an answer")
		}
		if diff := cmp.Diff([]string{"question", "**Thinking.**"}, b.texts("#general")); diff != "" {
			t.Error(diff)
		}
	})
}

func TestTheReceiptOfAFailureHasTheDeliveredMessages(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		r, _ := b.open(t, "general")
		b.Fail(fakediscord.Fault{Match: postMessage})
		receipt, err := r.Finish(t.Context(), turn.Body{Text: long("ab")})
		if err == nil || len(receipt.Messages) != 1 {
			t.Errorf("receipt %+v, error %v", receipt, err)
		}
	})
}

func TestAnAnswerIsDeliveredOnceWhateverGoesWrong(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		r, _ := b.open(t, "general")
		b.Fail(fakediscord.Fault{Match: patchMessage, Times: 2, Accepted: true})
		b.Fail(fakediscord.Fault{Match: postMessage, Times: 2, Accepted: true})
		if _, err := r.Finish(t.Context(), turn.Body{Text: long("ab"), Pictures: []chat.File{file("a.txt", "a")}}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"question", "a", "b"}, letters(b.texts("#general"))); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestFilesOfAnEditAreNotDoubled(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		r, _ := b.open(t, "general")
		b.Fail(fakediscord.Fault{Match: patchMessage, Times: 2, Accepted: true})
		if _, err := r.Finish(t.Context(), turn.Body{Text: "one", Pictures: []chat.File{file("a.txt", "a"), file("b.txt", "b")}}); err != nil {
			t.Fatal(err)
		}
		if got := b.message(t, b.id()).Attachments; len(got) != 2 {
			t.Errorf("%d attachments, want 2", len(got))
		}
	})
}

// TestOpeningAReplyIsNotCancelledHalfway: the placeholder was posted, Discord's response got lost, and
// then the turn is stopped.
func TestOpeningAReplyIsNotCancelledHalfway(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		b.Fail(fakediscord.Fault{Match: postMessage, Times: 1, Accepted: true})
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		v := b.replies.Venue(b.options("general", "turn"))
		if _, err := v.Open(ctx, turn.First, "thinking"); err != nil {
			t.Fatal(err)
		}
		if all := b.Messages("general"); len(all) != 1 || all[0].ID != b.id() {
			t.Errorf("%d messages, and the reply is %s", len(all), b.id())
		}
		if _, err := v.Open(ctx, "1", "thinking"); err == nil {
			t.Error("a reply of a stopped turn was opened")
		}
	})
}

func TestAnAnswerIsPostedAnewIfEditsAreRefused(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		r := b.openAs(t, b.options("general", "turn"), turn.First)
		b.Fail(fakediscord.Fault{Match: patchMessage, Kind: fakediscord.RateLimited, RetryAfter: time.Minute})
		receipt, err := r.Finish(t.Context(), turn.Body{Text: long("ab")})
		if err != nil || len(receipt.Messages) != 2 {
			t.Errorf("%v, %v", receipt, err)
		}
		if diff := cmp.Diff([]string{"a", "b"}, letters(b.texts("general"))); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}
