// Package recall finds old talk: what was said on a server long before the history of a prompt begins.
//
// An [Engine] is told what happens to messages, and writes them to the database in the background: Heard, Said,
// Deleted and the rest return at once. [Engine.Search] finds those that people may read in Discord at that moment,
// by their words and, where there is an [Embedder], by their meaning.
//
// One message is one row, or several if it is long, so that deleting a message and erasing a person are exact. What
// was deleted while the bot was away is found out when it would be shown: a message that was not seen since the last
// gap is looked up in Discord first.
package recall

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"discoclaw/internal/chat"
	"discoclaw/internal/store"
)

// A Server is the part of Discord that recall needs.
type Server interface {
	Self() chat.User
	// Channels returns the channels and active threads of a server that the bot sees, without a request.
	Channels(ctx context.Context, g chat.GuildID) ([]chat.Channel, error)
	ChannelByID(ctx context.Context, ch chat.ChannelID) (chat.Channel, error)
	MissingPermissions(ctx context.Context, g chat.GuildID, u chat.UserID, ch chat.ChannelID,
		needs []chat.Permission) ([]chat.Permission, error)
	// Readable reports whether everybody who may see a channel may read another one.
	Readable(ctx context.Context, g chat.GuildID, here, source chat.ChannelID) (bool, error)
	// Message fetches a message. The error for one that was deleted has a method Gone that returns true.
	Message(ctx context.Context, ch chat.ChannelID, m chat.MessageID) (chat.Message, error)
}

// Options configures an Engine.
type Options struct {
	DB       *store.DB
	Server   Server
	Outsider func(chat.Message) bool // reports whether a message is by an outsider
	All      bool                    // whether messages of outsiders are kept, too
	Channels []chat.ChannelID        // keep only these and their threads; nil means all
	Embedder *Embedder               // nil means that words alone are searched
	Log      *slog.Logger
}

// An Engine is safe for concurrent use. A nil Engine keeps and finds nothing.
type Engine struct {
	Options
	wake chan struct{} // has an element if there is something to write
	more chan struct{} // has an element if there may be something to embed

	mu      sync.Mutex
	queue   []*change
	last    int64                  // the number of the latest change
	puts    int                    // how many of the queue write something
	dropped int                    // changes that the queue had no room for, since the last log line
	stretch int64                  // counts the times that events may have been missed
	loaded  bool                   // stretch goes on from that of the database
	whole   int64                  // the stretch that began when events of all servers may have been missed
	wholeIn map[chat.GuildID]int64 // later stretches, of single servers
}

// New returns an engine. [Engine.Run] writes what it is told.
func New(o Options) *Engine {
	return &Engine{Options: o, wake: make(chan struct{}, 1), more: make(chan struct{}, 1), wholeIn: map[chat.GuildID]int64{}}
}

// maxQueue is how many messages wait to be written. Beyond that, the oldest are not kept.
const maxQueue = 1000

// A change is what becomes of a message, or of a channel.
type change struct {
	number  int64
	stretch int64 // in which it was told
	at      chat.Place
	kept    *kept // to write; nil to remove
	edit    bool  // it replaces an earlier one, which must not stay if this one is dropped
	seen    bool  // only confirm that it is there
	channel bool  // remove the whole channel
	room    chat.ChannelID
}

// kept is a message as it is stored.
type kept struct {
	author, asker chat.UserID
	name, text    string
	outside       chat.Sources
	sent          time.Time
	parts         []chat.MessageID // further messages of the same answer
}

// Heard keeps a message of another author.
func (e *Engine) Heard(m chat.Message) { e.put(m, false) }

// Edited replaces a message.
func (e *Engine) Edited(m chat.Message) { e.put(m, true) }

func (e *Engine) put(m chat.Message, edit bool) {
	if e == nil || m.Place.Guild == "" {
		return
	}
	at := m.Place
	at.Message = m.ID
	k, ok := e.keep(m)
	if ok || edit {
		e.enqueue(&change{at: at, kept: k, edit: edit})
	}
}

// An Answer is one of the bot's own.
type Answer struct {
	At       chat.Place
	Messages []chat.MessageID // at least one
	Text     string
	Asker    chat.UserID
	Outside  chat.Sources // what was read for it
	Sent     time.Time
}

// Said keeps an answer of the bot.
func (e *Engine) Said(a Answer) {
	if e == nil || a.At.Guild == "" || len(a.Messages) == 0 || !e.isChosen(a.At) {
		return
	}
	text := withoutReport(a.Text)
	if _, secret := chat.CutSecret(text); secret || text == "" {
		return
	}
	self := e.Server.Self()
	a.At.Message = a.Messages[0]
	e.enqueue(&change{at: a.At, kept: &kept{
		author: self.ID, asker: a.Asker, name: self.Name, text: text, outside: a.Outside, sent: a.Sent, parts: a.Messages[1:],
	}})
}

// withoutReport takes the lines about actions and look-ups off an answer.
func withoutReport(text string) string {
	lines := slices.DeleteFunc(chat.Lines(text), func(line string) bool {
		return strings.HasPrefix(line, "-# ") || strings.HasPrefix(line, "Done: ") || strings.HasPrefix(line, "Failed: ")
	})
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// Deleted removes a message.
func (e *Engine) Deleted(at chat.Place) {
	if e != nil && at.Guild != "" {
		e.enqueue(&change{at: at})
	}
}

// ChannelDeleted removes a channel with its threads, or a thread.
func (e *Engine) ChannelDeleted(at chat.Place) {
	if e != nil {
		e.enqueue(&change{at: at, channel: true})
	}
}

// Missed tells the engine that events of a server, or of all if it is empty, may have been missed. What was seen
// before is looked up in Discord before it is shown again.
func (e *Engine) Missed(g chat.GuildID) {
	if e == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.stretch++
	if g == "" {
		e.whole = e.stretch
		clear(e.wholeIn)
		return
	}
	e.wholeIn[g] = e.stretch
}

// keep returns what is stored of a message, and false if it is not stored: commands, secrets, and what others than
// people wrote.
func (e *Engine) keep(m chat.Message) (*kept, bool) {
	text := e.withoutMention(m.Text)
	_, secret := chat.CutSecret(m.Text)
	switch {
	case text == "", secret, isCommand(text), m.System, m.Author.ID == "", m.Author.ID == e.Server.Self().ID, !e.isChosen(m.Place):
		return nil, false
	case !e.All && e.Outsider(m):
		return nil, false
	}
	var outside chat.Sources
	if e.Outsider(m) {
		outside = m.Byline()
	}
	return &kept{author: m.Author.ID, name: m.Author.Name, text: text, outside: outside, sent: m.Sent}, true
}

// withoutMention takes the mention of the bot off the beginning of a text.
func (e *Engine) withoutMention(text string) string {
	text = strings.TrimSpace(text)
	for _, mention := range []string{"<@" + string(e.Server.Self().ID) + ">", "<@!" + string(e.Server.Self().ID) + ">"} {
		text = strings.TrimLeft(strings.TrimPrefix(text, mention), " \t\n,:")
	}
	return text
}

// isCommand reports whether a text is a command of this bot, or of any other.
func isCommand(text string) bool {
	rest, ok := strings.CutPrefix(text, "!")
	return ok && strings.IndexFunc(rest, unicode.IsLetter) == 0
}

func (e *Engine) isChosen(at chat.Place) bool {
	return e.Channels == nil || slices.Contains(e.Channels, at.Channel) || at.Parent != "" && slices.Contains(e.Channels, at.Parent)
}
