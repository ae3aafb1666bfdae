// Package status reports to the operators: that the bot started or shuts down, that a
// reply failed, that it lacks a permission.
//
// A [Board] posts reports to a channel, if there is one for that, and to the log
// otherwise; operators are then written to directly, if something has to be done. Report never blocks, and posts are
// rate limited: there is a pause between them, reports that queue up meanwhile become one post, and a repeated report
// is counted instead of posted.
package status

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"discoclaw/internal/background"
	"discoclaw/internal/chat"
	"discoclaw/internal/sleep"
)

const (
	gap           = 5 * time.Second  // minimum pause between posts
	window        = 10 * time.Minute // within which a report is not repeated
	maxWaiting    = 100              // length of the queue
	maxKnown      = 1000             // reports whose repetitions are counted
	maxLineLength = 500              // characters
	maxPostLength = 2000             // characters as Discord counts them
	lastPosts     = 3                // how many posts Close makes at most, without a pause
)

// Options are the dependencies of a Board.
type Options struct {
	// Find finds the channel to post to. It is called when there is something to post, until
	// it has found one. Nil means that there is none.
	Find func(ctx context.Context) (chat.ChannelID, error)
	// Direct is how operators are written to if there is no channel; nil means that they are not.
	Direct *Direct
	// Send posts a message.
	Send func(ctx context.Context, ch chat.ChannelID, m chat.Outgoing) (chat.MessageID, error)
	// Hide redacts secrets.
	Hide func(string) string
	Log  *slog.Logger
}

// A Board posts reports to the operators. It is safe for concurrent use.
type Board struct {
	o     Options
	work  *background.Group
	wake  chan struct{} // has an element if there may be something to do
	close func()
	ended chan struct{} // closed by close

	direct *messenger // nil if operators are not written to

	mu      sync.Mutex
	running bool
	channel chat.ChannelID // empty if it is unknown
	look    time.Time      // when to call Find again
	waiting []string       // oldest first
	dropped int            // reports that did not fit into the queue since the last post
	known   map[string]*told
}

// told is the state of a report that was posted.
type told struct {
	at    time.Time
	again int // repetitions since
}

// New returns a board. It posts nothing before Online.
func New(o Options) *Board {
	b := &Board{o: o, work: background.New(o.Log), wake: make(chan struct{}, 1), ended: make(chan struct{}), known: map[string]*told{}}
	b.close = sync.OnceFunc(func() { close(b.ended) })
	if o.Find == nil && o.Direct != nil {
		b.direct = newMessenger(o, b.work, b.ended)
	}
	return b
}

// Of returns what reports things of one kind.
func (b *Board) Of(k Kind) func(ctx context.Context, what string) {
	return func(ctx context.Context, what string) { b.Report(ctx, k, what) }
}

// Report queues a report, a sentence or a few lines. It does not block.
func (b *Board) Report(ctx context.Context, k Kind, what string) {
	what = b.clean(what)
	if b.o.Find == nil {
		b.o.Log.InfoContext(ctx, "status", "what", what)
		if b.direct != nil {
			b.direct.report(k, what)
		}
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	if before := b.known[what]; before != nil && (before.again > 0 || now.Sub(before.at) < window) {
		before.again++ // recount posts it when the window ends
	} else {
		b.know(what, now)
		b.push(what)
	}
	b.nudge()
}

// know records the time of a report, if there is room for it.
func (b *Board) know(what string, at time.Time) {
	if b.known[what] != nil || len(b.known) < maxKnown {
		b.known[what] = &told{at: at}
	}
}

// push queues a report. If the queue is full, the oldest is dropped.
func (b *Board) push(what string) {
	b.waiting = append(b.waiting, what)
	if len(b.waiting) > maxWaiting {
		b.waiting = slices.Delete(b.waiting, 0, 1)
		b.dropped++
	}
}

func (b *Board) nudge() {
	sleep.Wake(b.wake)
}

// Online says that the bot has logged in and can post.
func (b *Board) Online() {
	if b.direct != nil {
		b.direct.login()
	}
	if b.o.Find == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.look = time.Time{}
	if !b.running {
		b.running = b.work.Go("status", b.run)
	}
	b.nudge()
}

// Close posts the queue, as far as that works before ctx ends.
func (b *Board) Close(ctx context.Context) error {
	b.close()
	return b.work.Close(ctx)
}

// run posts the queue until Close.
func (b *Board) run(ctx context.Context) {
	var last time.Time // time of the last post
	for {
		wait := time.Until(last.Add(gap))
		if wait <= 0 && b.post(ctx) {
			last = time.Now()
			continue
		}
		if wait <= 0 {
			wait = b.untilRecount()
		}
		select {
		case <-b.wake:
		case <-time.After(wait):
		case <-b.ended:
			b.recount(true)
			for n := 0; n < lastPosts && b.post(ctx); n++ {
			}
			return
		case <-ctx.Done():
			return
		}
		b.recount(false)
	}
}

// untilRecount is the time until the first window ends.
func (b *Board) untilRecount() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	wait := window
	for _, t := range b.known {
		wait = min(wait, time.Until(t.at.Add(window)))
	}
	return max(wait, time.Second)
}

// recount queues the numbers of repetitions: of reports whose window has ended, or all of
// them at the end.
func (b *Board) recount(all bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	var again []string
	for what, t := range b.known {
		switch over := now.Sub(t.at) >= window; {
		case t.again > 0 && (over || all):
			again = append(again, fmt.Sprintf("%s (%d more in %s)", what, t.again, now.Sub(t.at).Round(time.Second)))
			*t = told{at: now}
		case over:
			delete(b.known, what)
		}
	}
	slices.Sort(again) // maps have no order
	for _, line := range again {
		b.push(line)
	}
}

// post posts as much as fits into one message, and reports whether there was anything.
func (b *Board) post(ctx context.Context) bool {
	text := b.next()
	if text == "" {
		return false
	}
	ch, ok := b.where(ctx)
	if !ok {
		b.o.Log.InfoContext(ctx, "status", "what", text)
		return true
	}
	if _, err := b.o.Send(ctx, ch, chat.Outgoing{Text: text}); err != nil {
		b.o.Log.WarnContext(ctx, "cannot post the status", "channel", ch, "what", text, "err", err)
		if chat.IsPermanent(err) {
			b.lose()
		}
	}
	return true
}

// next takes the reports of one post off the queue.
func (b *Board) next() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.waiting) == 0 {
		return ""
	}
	text := ""
	if b.dropped > 0 {
		text = fmt.Sprintf("(%d earlier reports left out)\n", b.dropped)
		b.dropped = 0
	}
	for n, what := range b.waiting {
		if n > 0 && chat.Length(text)+chat.Length(what) > maxPostLength {
			b.waiting = b.waiting[n:]
			return strings.TrimSuffix(text, "\n")
		}
		text += what + "\n"
	}
	b.waiting = nil
	return strings.TrimSuffix(text, "\n")
}

// where is the channel, if there is one. Find is not called, and its error not logged, every
// time.
func (b *Board) where(ctx context.Context) (chat.ChannelID, bool) {
	b.mu.Lock()
	ch, look := b.channel, b.look
	b.mu.Unlock()
	if ch != "" || time.Now().Before(look) {
		return ch, ch != ""
	}
	ch, err := b.o.Find(ctx)
	if err != nil {
		b.o.Log.WarnContext(ctx, "cannot find the status channel, reports go to the log", "err", err)
		b.lose()
		return "", false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.channel = ch
	return ch, true
}

// lose forgets the channel for a while, or until the next login.
func (b *Board) lose() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.channel, b.look = "", time.Now().Add(window)
}

// clean redacts a report, and cuts its lines and all of it to fit into one message.
func (b *Board) clean(text string) string {
	var lines []string
	room := maxPostLength - 100 // for additions
	for line := range strings.Lines(b.o.Hide(text)) {
		line = chat.Clip(strings.TrimSpace(chat.Visible(line)), maxLineLength)
		if room -= chat.Length(line) + 1; room < 0 {
			lines = append(lines, "…")
			break
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// A Kind is what a report is about. Where there is no status channel, operators get at most one direct message an hour
// of each kind, and none of News.
type Kind string

const (
	News    Kind = "news"    // needs nothing to be done, such as a start
	Replies Kind = "replies" // that failed or were given up
	Actions Kind = "actions" // that failed
	Runs    Kind = "runs"    // scheduled and deferred, and reminders, that cannot be carried out
	Storage Kind = "storage" // the disk and the database
	Doors   Kind = "doors"   // webhooks and MCP clients cannot be answered
	Faults  Kind = "faults"  // inside the bot
)
