package status_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/chat"
	"discoclaw/internal/status"
)

// A room records the posts of a test.
type room struct {
	*status.Board
	t     *testing.T
	began time.Time

	mu    sync.Mutex
	posts []string // with the time since the start
	fails error    // of Send
	none  error    // of Find
	log   bytes.Buffer
}

// inRoom runs f in a bubble with a board that is online.
func inRoom(t *testing.T, f func(t *testing.T, r *room)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := &room{t: t, began: time.Now()}
		r.Board = status.New(status.Options{
			Find: r.find, Send: r.send, Log: slog.New(slog.NewTextHandler(&r.log, nil)),
			Hide: func(s string) string { return strings.ReplaceAll(s, "hunter22", "***") },
		})
		r.Online()
		f(t, r)
		if err := r.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func (r *room) find(context.Context) (chat.ChannelID, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return "7", r.none
}

func (r *room) send(_ context.Context, _ chat.ChannelID, m chat.Outgoing) (chat.MessageID, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.posts = append(r.posts, fmt.Sprintf("%v %s", time.Since(r.began), m.Text))
	return "8", r.fails
}

func (r *room) report(what ...string) {
	for _, w := range what {
		r.Report(r.t.Context(), status.Replies, w)
	}
}

// breaks makes Find or Send fail from now on.
func (r *room) breaks(find, send error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.none, r.fails = find, send
}

// posted are all posts so far.
func (r *room) posted() []string {
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.posts)
}

func (r *room) requirePosts(want ...string) {
	r.t.Helper()
	if diff := cmp.Diff(want, r.posted()); diff != "" {
		r.t.Errorf("posts (-want +got):\n%s", diff)
	}
}

func TestPostsAreRateLimited(t *testing.T) {
	inRoom(t, func(t *testing.T, r *room) {
		r.report("one")
		synctest.Wait()
		r.report("two", "three")
		time.Sleep(2 * time.Second)
		r.report("four")
		time.Sleep(time.Minute)
		r.report("five")
		r.requirePosts("0s one", "5s two\nthree\nfour", "1m2s five")
	})
}

func TestAFloodIsCounted(t *testing.T) {
	inRoom(t, func(t *testing.T, r *room) {
		for range 100 {
			r.report("the model is out of order")
			time.Sleep(7 * time.Second)
		}
		time.Sleep(time.Hour)
		r.report("the model is out of order")
		r.requirePosts("0s the model is out of order",
			"10m0s the model is out of order (85 more in 10m0s)",
			"20m0s the model is out of order (14 more in 10m0s)",
			"1h11m40s the model is out of order")
	})
}

func TestTheLatestOfTooManyAreKept(t *testing.T) {
	inRoom(t, func(t *testing.T, r *room) {
		r.report("first")
		synctest.Wait()
		for i := range 150 {
			r.report(fmt.Sprint("report ", i))
		}
		time.Sleep(time.Minute)
		all := strings.Join(r.posted(), "\n")
		if !strings.Contains(all, "(50 earlier reports left out)\nreport 50\n") || !strings.HasSuffix(all, "\nreport 149") {
			t.Errorf("%s", all)
		}
	})
}

func TestPostsFitIntoAMessage(t *testing.T) {
	inRoom(t, func(t *testing.T, r *room) {
		r.report(strings.Repeat("😀", 600), strings.Repeat("😁", 600), strings.Repeat(strings.Repeat("x", 400)+"\n", 20))
		time.Sleep(time.Minute)
		posts := r.posted()
		if len(posts) != 3 {
			t.Fatalf("%d posts", len(posts))
		}
		for _, p := range posts {
			_, text, _ := strings.Cut(p, " ")
			if n := chat.Length(text); n > 2000 || !strings.HasSuffix(text, "…") {
				t.Errorf("%d characters: %s", n, text)
			}
		}
	})
}

func TestSecretsAreNotPosted(t *testing.T) {
	inRoom(t, func(t *testing.T, r *room) {
		r.report(strings.Repeat("x", 495) + "hunter22")
		if posts := r.posted(); strings.Contains(posts[0], "hunter") || strings.Contains(r.log.String(), "hunter") {
			t.Error(posts)
		}
	})
}

func TestClosePostsTheQueue(t *testing.T) {
	inRoom(t, func(t *testing.T, r *room) {
		r.report("one", "two", "one")
		synctest.Wait()
		time.Sleep(time.Second)
		r.report("going offline")
		if err := r.Close(t.Context()); err != nil {
			t.Error(err)
		}
		r.report("too late")
		r.requirePosts("0s one\ntwo", "1s going offline\none (1 more in 1s)")
	})
}

func TestAMissingChannelIsLoggedOnce(t *testing.T) {
	inRoom(t, func(t *testing.T, r *room) {
		r.breaks(errors.New("there is no channel #status; set DISCOCLAW_STATUS_CHANNEL"), nil)
		for i := range 5 {
			r.report(fmt.Sprint("report ", i))
			time.Sleep(time.Minute)
		}
		r.requirePosts()
		log := r.log.String()
		if strings.Count(log, "cannot find the status channel") != 1 || strings.Count(log, "what=\"report") != 5 {
			t.Errorf("the log has\n%s", log)
		}
		r.breaks(nil, nil)
		r.Online()
		r.report("back")
		r.requirePosts("5m0s back")
	})
}

// refusal is a permanent error.
type refusal struct{}

func (refusal) Error() string   { return "the bot lacks “Send Messages”" }
func (refusal) Permanent() bool { return true }

func TestAPermanentErrorIsNotRetried(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want int // attempts to post
	}{{refusal{}, 1}, {errors.New("no answer"), 5}} {
		t.Run(tt.err.Error(), func(t *testing.T) {
			inRoom(t, func(t *testing.T, r *room) {
				r.breaks(nil, tt.err)
				for i := range 5 {
					r.report(fmt.Sprint("report ", i))
					time.Sleep(time.Minute)
				}
				if n := len(r.posted()); n != tt.want {
					t.Errorf("tried %d times", n)
				}
			})
		})
	}
}

func TestWithoutAChannelReportsAreInTheLog(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	b := status.New(status.Options{Hide: strings.ToLower, Log: slog.New(slog.NewTextHandler(&log, nil))})
	b.Online()
	b.Report(t.Context(), status.Replies, "HELLO")
	if err := b.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if !strings.Contains(log.String(), "what=hello") {
		t.Error(log.String())
	}
}

func TestNothingIsPostedBeforeTheLogin(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var posts []string
		b := status.New(status.Options{
			Find: func(context.Context) (chat.ChannelID, error) { return "7", nil },
			Send: func(_ context.Context, _ chat.ChannelID, m chat.Outgoing) (chat.MessageID, error) {
				posts = append(posts, m.Text)
				return "8", nil
			},
			Hide: strings.TrimSpace, Log: slog.New(slog.DiscardHandler),
		})
		b.Report(t.Context(), status.Replies, "early")
		synctest.Wait()
		if len(posts) != 0 {
			t.Errorf("posted %v", posts)
		}
		b.Online()
		synctest.Wait()
		if err := b.Close(t.Context()); err != nil || !slices.Equal(posts, []string{"early"}) {
			t.Errorf("posted %v, %v", posts, err)
		}
	})
}
