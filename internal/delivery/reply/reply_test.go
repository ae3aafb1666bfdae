package reply_test

import (
	"errors"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"discoclaw/internal/actions/actionstest/server"
	"discoclaw/internal/chat"
	"discoclaw/internal/delivery/outbox"
	"discoclaw/internal/delivery/reply"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/store"
	"discoclaw/internal/turn"
)

const (
	postMessage  = "POST /channels/{channel}/messages"
	patchMessage = "PATCH /channels/{channel}/messages/{message}"
)

// A bench has replies on the fake Discord, over the real client and database.
type bench struct {
	*server.Server
	replies *reply.Replies
	outbox  *outbox.Outbox
	db      *store.DB
	path    string
	opened  []chat.MessageID // calls of the hook
	before  int              // requests that logging in took
}

func onBench(t *testing.T, layout string, test func(t *testing.T, b *bench)) {
	t.Helper()
	server.In(t, layout+"\nmember ada: owner", func(t *testing.T, w *server.Server) {
		b := &bench{Server: w, path: filepath.Join(t.TempDir(), store.FileName)}
		b.start(t)
		b.before = len(w.Requests())
		t.Cleanup(func() {
			if err := b.db.Close(); err != nil {
				t.Error(err)
			}
		})
		test(t, b)
	})
}

// start starts a new process on the same database.
func (b *bench) start(t *testing.T) {
	t.Helper()
	if b.db != nil {
		b.Must(b.db.Close())
	}
	db, err := store.Open(t.Context(), b.path)
	b.Must(err)
	b.db = db
	b.outbox = outbox.New(db, b.Bot, slog.New(slog.NewTextHandler(t.Output(), nil)))
	b.replies = reply.New(b.outbox, b.Bot, nil)
}

// options are those of a turn in a channel whose answers tell the hook.
func (b *bench) options(channel string, turn chat.TurnID) reply.Options {
	return reply.Options{
		Place: chat.Place{Guild: b.GuildID(), Channel: b.ChannelID(channel)}, Turn: turn, Stop: "stop:1",
		Opened: func(m chat.MessageID) { b.opened = append(b.opened, m) },
	}
}

// id is the first message of the last answer.
func (b *bench) id() chat.MessageID { return b.opened[len(b.opened)-1] }

// open starts an answer to a message of ada's.
func (b *bench) open(t *testing.T, channel string) (turn.Reply, fakediscord.Message) {
	t.Helper()
	asked := b.MustSay("ada", channel, "question")
	o := b.options(channel, "turn")
	o.Place.Message = asked.ID
	return b.openAs(t, o, turn.First), asked
}

func (b *bench) openAs(t *testing.T, o reply.Options, key string) turn.Reply {
	t.Helper()
	opened, err := b.replies.Venue(o).Open(t.Context(), key, "**Thinking.**")
	b.Must(err)
	return opened
}

func (b *bench) texts(channel string) []string {
	var list []string
	for _, m := range b.Messages(channel) {
		list = append(list, m.Content)
	}
	return list
}

func (b *bench) message(t *testing.T, id chat.MessageID) fakediscord.Message {
	t.Helper()
	m, ok := b.Message(id)
	if !ok {
		t.Fatalf("there is no message %s", id)
	}
	return m
}

// routes are those of the requests since login.
func (b *bench) routes() []string {
	var list []string
	for _, x := range b.Requests()[b.before:] {
		list = append(list, x.Route)
	}
	return list
}

func file(name, content string) chat.File {
	return chat.File{Name: name, Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(content)), nil }}
}

// long is a text that becomes so many chunks, each of a single letter.
func long(letters string) string {
	var parts []string
	for _, l := range letters {
		parts = append(parts, strings.Repeat(string(l), 1990))
	}
	return strings.Join(parts, "\n")
}

// letters are what long texts were made of.
func letters(texts []string) []string {
	var list []string
	for _, text := range texts {
		if len(text) == 1990 {
			text = text[:1]
		}
		list = append(list, text)
	}
	return list
}

func isGone(err error) bool {
	var refused interface{ Gone() bool }
	return errors.As(err, &refused) && refused.Gone()
}

const aWhile = time.Hour // longer than Discord dedupes by nonce
