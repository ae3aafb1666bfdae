package discord_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/fakegateway"
)

// open starts an answer to a message of ada's.
func (b *bench) open(t *testing.T, channel string) (*discord.LiveReply, fakediscord.Message) {
	t.Helper()
	asked := b.MustSay("ada", channel, "question")
	live := b.client.Live(chat.Place{Guild: b.GuildID(), Channel: b.ChannelID(channel), Message: asked.ID}, nil)
	reply, err := live.Open(t.Context(), discord.Opening{Label: "**Thinking.**", Stop: "stop:1", Reply: true})
	if err != nil {
		t.Fatal(err)
	}
	return reply, asked
}

func TestALiveReplyGrowsFromAPlaceholder(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		reply, asked := b.open(t, "general")
		first := b.message(t, reply.ID())
		if first.Content != "**Thinking.**" || first.ReplyTo != asked.ID {
			t.Errorf("placeholder = %+v", first)
		}
		if buttons := first.Buttons(); len(buttons) != 1 || buttons[0].CustomID != "stop:1" || buttons[0].Label != "Stop" {
			t.Errorf("buttons = %+v", buttons)
		}
		if err := reply.Preview(t.Context(), "so far"); err != nil {
			t.Fatal(err)
		}
		if m := b.message(t, reply.ID()); m.Content != "so far" || len(m.Buttons()) != 1 {
			t.Errorf("preview = %+v", m)
		}
		receipt, err := reply.Finish(t.Context(), []string{"the answer"})
		if err != nil {
			t.Fatal(err)
		}
		if m := b.message(t, reply.ID()); m.Content != "the answer" || len(m.Buttons()) != 0 {
			t.Errorf("answer = %+v", m)
		}
		want := chat.Receipt{Channel: b.ChannelID("general"), Messages: []chat.MessageID{reply.ID()}}
		if diff := cmp.Diff(want, receipt); diff != "" {
			t.Errorf("receipt (-want +got):\n%s", diff)
		}
		if got := len(b.requests()); got != 3 {
			t.Errorf("%d requests, want one each for placeholder, preview and answer", got)
		}
	})
}

func TestAnAnswerIsAReplyIfItSaysSo(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		asked := b.MustSay("ada", "general", "question")
		live := b.client.Live(chat.Place{Channel: b.ChannelID("general"), Message: asked.ID}, nil)
		var targets []chat.MessageID
		for _, first := range []bool{true, false} {
			reply, err := live.Open(t.Context(), discord.Opening{Label: "…", Stop: "stop", Reply: first})
			if err != nil {
				t.Fatal(err)
			}
			targets = append(targets, b.message(t, reply.ID()).ReplyTo)
		}
		if diff := cmp.Diff([]chat.MessageID{asked.ID, ""}, targets); diff != "" {
			t.Error(diff)
		}
	})
}

func TestAPlaceholderAppearsAlthoughTheQuestionIsGone(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		live := b.client.Live(chat.Place{Channel: b.ChannelID("general"), Message: "123456789012345678"}, nil)
		if _, err := live.Open(t.Context(), discord.Opening{Label: "…", Stop: "stop", Reply: true}); err != nil {
			t.Error(err)
		}
	})
}

func TestALongAnswerFollowsInOrderWithItsFilesLast(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		chunks []string
		files  int
		want   []string // text and number of files
	}{
		{[]string{"one"}, 0, []string{"one 0"}},
		{[]string{"one"}, 3, []string{"one 3"}},
		{[]string{"one", "two", "three"}, 0, []string{"one 0", "two 0", "three 0"}},
		{[]string{"one", "two"}, 1, []string{"one 0", "two 1"}},
		{[]string{"one", "two"}, 23, []string{"one 0", "two 10", " 10", " 3"}},
		{nil, 12, []string{" 10", " 2"}},
	} {
		t.Run(fmt.Sprintf("%d chunks and %d files", len(tt.chunks), tt.files), func(t *testing.T) {
			t.Parallel()
			onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
				var files []chat.File
				for i := range tt.files {
					files = append(files, file(fmt.Sprintf("%d.txt", i), fmt.Sprint(i)))
				}
				reply, _ := b.open(t, "general")
				receipt, err := reply.Finish(t.Context(), tt.chunks, files...)
				if err != nil {
					t.Fatal(err)
				}
				var got []string
				var ids []chat.MessageID
				seen := 0
				for _, m := range b.Messages("#general")[1:] {
					got = append(got, fmt.Sprintf("%s %d", m.Content, len(m.Attachments)))
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

func TestAVanishedPlaceholderIsSentAnew(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		reply, _ := b.open(t, "general")
		gone := reply.ID()
		if err := b.client.Delete(t.Context(), b.ChannelID("general"), gone); err != nil {
			t.Fatal(err)
		}
		if err := reply.Preview(t.Context(), "so far"); !errors.Is(err, discord.ErrNotFound) {
			t.Errorf("preview: %v", err)
		}
		receipt, err := reply.Finish(t.Context(), []string{"one", "two"}, file("a.txt", "a"))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"question", "one", "two"}, b.texts("#general")); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if len(receipt.Messages) != 2 || receipt.Messages[0] != reply.ID() || reply.ID() == gone {
			t.Errorf("receipt = %+v, reply.ID() = %s", receipt, reply.ID())
		}
	})
}

func TestAnAnswerInAnArchivedThreadCountsAsDelivered(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general\nthread \"help me\" in #general", func(t *testing.T, b *bench) {
		reply, _ := b.open(t, "help me")
		if err := b.Archive("help me"); err != nil {
			t.Fatal(err)
		}
		receipt, err := reply.Finish(t.Context(), []string{"one", "two"})
		if err != nil {
			t.Fatal(err)
		}
		if len(receipt.Messages) > 0 || receipt.Channel != "" {
			t.Errorf("receipt = %+v", receipt)
		}
		if diff := cmp.Diff([]string{"DELETE /channels/{channel}/messages/{message}"}, routesOf(b)[2:]); diff != "" {
			t.Errorf("requests after the edit (-want +got):\n%s", diff)
		}
	})
}

// TestASilentAnswerIsThereOnceItIsFinished: nothing is shown before, and who delivers it again
// finds it.
func TestASilentAnswerIsThereOnceItIsFinished(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		posts := remembered{b.client, map[string]chat.MessageID{}}
		live := b.client.Live(chat.Place{Guild: b.GuildID(), Channel: b.ChannelID("general")}, posts)
		dropped := live.Silent("0")
		if err := errors.Join(dropped.Preview(t.Context(), "one"), dropped.Discard(t.Context())); err != nil {
			t.Error(err)
		}
		if said := b.texts("#general"); len(said) > 0 {
			t.Errorf("it says %q before there is an answer", said)
		}
		for _, first := range []string{"⚠️ The answer could not be delivered.", "one"} {
			if _, err := live.Silent("0").Finish(t.Context(), []string{first, "two"}); err != nil {
				t.Error(err)
			}
		}
		if diff := cmp.Diff([]string{"one", "two"}, b.texts("#general")); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// remembered are posts that are known by their keys.
type remembered struct {
	client *discord.Client
	known  map[string]chat.MessageID
}

func (r remembered) Post(ctx context.Context, key string, ch chat.ChannelID, m chat.Outgoing) (chat.MessageID, error) {
	if id, ok := r.known[key]; ok {
		return id, nil
	}
	id, err := r.client.Post(ctx, ch, m)
	r.known[key] = id
	return id, err
}

func (r remembered) Posted(_ context.Context, key string) (chat.MessageID, bool, error) {
	id, ok := r.known[key]
	return id, ok, nil
}

// TestASilentAnswerThatWasBegunInOtherWordsIsCorrected: an earlier try has left a message, of
// which nobody knew before it was posted once more.
func TestASilentAnswerThatWasBegunInOtherWordsIsCorrected(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		posts := doubtful{remembered{b.client, map[string]chat.MessageID{"0/0": b.send(t, "general", "⚠️ The answer could not be delivered.")}}}
		live := b.client.Live(chat.Place{Guild: b.GuildID(), Channel: b.ChannelID("general")}, posts)
		if _, err := live.Silent("0").Finish(t.Context(), []string{"one", "two"}); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff([]string{"one", "two"}, b.texts("#general")); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// doubtful are posts that were begun, and perhaps arrived.
type doubtful struct{ remembered }

func (d doubtful) Posted(_ context.Context, key string) (chat.MessageID, bool, error) {
	return "", d.known[key] != "", nil
}

// TestASilentAnswerInAnArchivedThreadIsFinished: a part of it was there before.
func TestASilentAnswerInAnArchivedThreadIsFinished(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general\nthread \"help me\" in #general", func(t *testing.T, b *bench) {
		live := b.client.Live(chat.Place{Guild: b.GuildID(), Channel: b.ChannelID("help me")}, remembered{b.client, map[string]chat.MessageID{}})
		if _, err := live.Silent("0").Finish(t.Context(), []string{"one"}); err != nil {
			t.Fatal(err)
		}
		if err := b.Archive("help me"); err != nil {
			t.Fatal(err)
		}
		receipt, err := live.Silent("0").Finish(t.Context(), []string{"one", "two"})
		if err != nil || len(receipt.Messages) != 2 {
			t.Errorf("%v, %v", receipt, err)
		}
		if diff := cmp.Diff([]string{"one", "two"}, b.texts("help me")); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestDiscardRemovesThePlaceholder(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		reply, _ := b.open(t, "general")
		for range 2 { // the second time it is gone already
			if err := reply.Discard(t.Context()); err != nil {
				t.Error(err)
			}
		}
		if diff := cmp.Diff([]string{"question"}, b.texts("#general")); diff != "" {
			t.Error(diff)
		}
	})
}

func TestABadAnswerChangesNothing(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		reply, _ := b.open(t, "general")
		for _, chunks := range [][]string{nil, {"fine", strings.Repeat("x", 2001)}} {
			if _, err := reply.Finish(t.Context(), chunks); err == nil {
				t.Errorf("Finish took %d chunks", len(chunks))
			}
		}
		if diff := cmp.Diff([]string{"question", "**Thinking.**"}, b.texts("#general")); diff != "" {
			t.Error(diff)
		}
	})
}

func TestAFailureHalfwayTellsWhatWasDelivered(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		reply, _ := b.open(t, "general")
		b.Fail(fakediscord.Fault{Match: postMessage})
		receipt, err := reply.Finish(t.Context(), []string{"one", "two"})
		if err == nil || len(receipt.Messages) != 1 {
			t.Errorf("receipt %+v, error %v", receipt, err)
		}
	})
}

func TestAnAnswerIsDeliveredOnceWhateverGoesWrong(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		reply, _ := b.open(t, "general")
		b.Fail(fakediscord.Fault{Match: patchMessage, Times: 2, Accepted: true})
		b.Fail(fakediscord.Fault{Match: postMessage, Times: 2, Accepted: true})
		if _, err := reply.Finish(t.Context(), []string{"one", "two"}, file("a.txt", "a")); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"question", "one", "two"}, b.texts("#general")); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestFilesOfAnEditAreNotDoubled(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		reply, _ := b.open(t, "general")
		b.Fail(fakediscord.Fault{Match: patchMessage, Times: 2, Accepted: true})
		if _, err := reply.Finish(t.Context(), []string{"one"}, file("a.txt", "a"), file("b.txt", "b")); err != nil {
			t.Fatal(err)
		}
		if got := b.message(t, reply.ID()).Attachments; len(got) != 2 {
			t.Errorf("%d attachments, want 2", len(got))
		}
	})
}

func TestLatestOwnIsTheLastFinishedMessage(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general #ops", func(t *testing.T, b *bench) {
		ch := b.ChannelID("general")
		latest := func() chat.MessageID {
			t.Helper()
			id, err := b.client.LatestOwn(t.Context(), ch)
			if err != nil {
				t.Fatal(err)
			}
			return id
		}
		if _, err := b.client.LatestOwn(t.Context(), ch); !errors.Is(err, discord.ErrNotFound) || !strings.Contains(err.Error(), "#general") {
			t.Errorf("in an empty channel: %v", err)
		}
		first := b.send(t, "general", "first")
		reply, _ := b.open(t, "general")
		if got := latest(); got != first {
			t.Errorf("with an open answer it is %s, want %s", got, first)
		}
		second := b.send(t, "general", "second")
		if _, err := reply.Finish(t.Context(), []string{"done"}); err != nil {
			t.Fatal(err)
		}
		if got := latest(); got != second {
			t.Errorf("after an older answer was finished it is %s, want %s", got, second)
		}
		if err := b.client.Delete(t.Context(), ch, second); err != nil {
			t.Fatal(err)
		}
		if got := latest(); got != reply.ID() {
			t.Errorf("after a deletion it is %s, want %s", got, reply.ID())
		}
	})
}

func TestLatestOwnIsNotOneThatSomebodyDeleted(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		told bool
	}{{"with the bot listening", true}, {"while the bot was away", false}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
				kept := b.send(t, "general", "kept")
				gone := b.send(t, "general", "gone")
				if !tt.told {
					b.Gateway().ForgetSessions()
					b.Gateway().Inject(fakegateway.Drop())
					synctest.Wait()
				}
				if err := b.DeleteAs("ada", gone); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Minute)
				synctest.Wait()
				if got, err := b.client.LatestOwn(t.Context(), b.ChannelID("general")); err != nil || got != kept {
					t.Errorf("LatestOwn = %s, %v; want %s", got, err, kept)
				}
			})
		})
	}
}

func TestLatestOwnIsLookedUpAfterARestart(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		want := b.send(t, "general", "from before")
		b.MustSay("ada", "general", "ok")
		b.open(t, "general") // left over by the earlier process, with its Stop button
		restarted := &bench{World: b.World, heard: &recorder{}, client: discord.New(discord.Options{
			Token: b.Token(), APIURL: b.APIURL(), HTTP: b.HTTP(),
		})}
		restarted.login(t)
		got, err := restarted.client.LatestOwn(t.Context(), b.ChannelID("general"))
		if err != nil || got != want {
			t.Errorf("LatestOwn = %s, %v; want %s", got, err, want)
		}
	})
}

// routesOf are the routes of the requests since login.
func routesOf(b *bench) []string {
	var list []string
	for _, x := range b.Requests()[b.before:] {
		list = append(list, x.Route)
	}
	return list
}

// TestOpeningAReplyIsNotAbandoned: the placeholder is there, its answer got lost, and
// then nobody wants it any more.
func TestOpeningAReplyIsNotAbandoned(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		b.Fail(fakediscord.Fault{Match: postMessage, Times: 1, Accepted: true})
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		reply, err := b.client.Live(chat.Place{Guild: b.GuildID(), Channel: b.ChannelID("general")}, nil).Open(ctx, discord.Opening{Label: "thinking", Stop: "stop:1", Reply: true})
		if err != nil {
			t.Fatal(err)
		}
		if all := b.Messages("general"); len(all) != 1 || all[0].ID != reply.ID() {
			t.Errorf("%d messages, and the reply is %s", len(all), reply.ID())
		}
		if _, err := b.client.Live(chat.Place{Channel: b.ChannelID("general")}, nil).Open(ctx, discord.Opening{Label: "thinking", Stop: "stop:1", Reply: true}); err == nil {
			t.Error("a reply that nobody wants was opened")
		}
	})
}

func TestAnAnswerThatMayNotBeEditedInIsPostedAnew(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		reply, err := b.client.Live(chat.Place{Guild: b.GuildID(), Channel: b.ChannelID("general")}, nil).Open(t.Context(), discord.Opening{Label: "thinking", Stop: "stop:1", Reply: true})
		if err != nil {
			t.Fatal(err)
		}
		b.Fail(fakediscord.Fault{Match: "PATCH /channels/{channel}/messages/{message}", Kind: fakediscord.RateLimited, RetryAfter: time.Minute})
		receipt, err := reply.Finish(t.Context(), []string{"the answer", "and its end"})
		if err != nil || len(receipt.Messages) != 2 {
			t.Errorf("%v, %v", receipt, err)
		}
		if diff := cmp.Diff([]string{"the answer", "and its end"}, b.texts("general")); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}
