// Package chat holds the values that every part of the bot shares: identifiers,
// places, permissions, and how long a text is for Discord.
//
// It knows no protocol and does no I/O, so that any package may import it.
package chat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Identifiers are Discord snowflakes, kept as the digits Discord sent. Each kind
// has its own type so that a call with two of them cannot be written the wrong
// way round.
type (
	GuildID   string
	ChannelID string
	MessageID string
	UserID    string
	RoleID    string
)

// A Place is where an event happens. Fields that do not apply are empty: a direct message
// has no Guild, a channel that is not a thread has no Parent, and a deferred run has no
// Message.
type Place struct {
	Guild   GuildID
	Channel ChannelID
	Parent  ChannelID // the channel a thread belongs to
	Message MessageID // the message that caused this
}

// A LastMessage is a channel as it was when the bot first learned of it. The Message of its place is
// the latest one, or empty if there is none.
type LastMessage struct {
	Place
	Made   time.Time // when the channel was made, or the thread started
	Joined time.Time // when the bot joined its server; zero if unknown
}

// Mention names the channel of a place for readers in other channels. It does not tell whose a
// direct message is.
func (p Place) Mention() string {
	if p.Guild == "" {
		return "a direct message"
	}
	return "<#" + string(p.Channel) + ">"
}

// Top is the place outside of threads: the channel that a thread is in, or else p itself.
func (p Place) Top() Place {
	if p.Parent == "" {
		return p
	}
	return Place{Guild: p.Guild, Channel: p.Parent}
}

// Link leads to the message of a place, in every Discord client.
func (p Place) Link() string {
	guild := string(p.Guild)
	if guild == "" {
		guild = "@me" // as Discord writes direct messages
	}
	return fmt.Sprintf("https://discord.com/channels/%s/%s/%s", guild, p.Channel, p.Message)
}

// After reports whether a message was written after another. IDs grow with time.
func (m MessageID) After(other MessageID) bool { return m.number() > other.number() }

// Compare orders messages by when they were written.
func (m MessageID) Compare(other MessageID) int { return cmp.Compare(m.number(), other.number()) }

// Next and Previous return the IDs beside this one, as bounds of a range of messages.
func (m MessageID) Next() MessageID     { return MessageID(strconv.FormatUint(m.number()+1, 10)) }
func (m MessageID) Previous() MessageID { return MessageID(strconv.FormatUint(m.number()-1, 10)) }

// epoch is the beginning of 2015. IDs count milliseconds since then, times 2^22.
// https://discord.com/developers/docs/reference#snowflakes
const epoch = 1420070400000

// Sent returns when a message was sent.
func (m MessageID) Sent() time.Time { return time.UnixMilli(int64(m.number()>>22) + epoch) }

// FirstAt returns the lowest ID of a point in time.
func FirstAt(t time.Time) MessageID {
	return MessageID(strconv.FormatInt(max(t.UnixMilli()-epoch, 0)<<22, 10))
}

func (m MessageID) number() uint64 {
	n, err := strconv.ParseUint(string(m), 10, 64)
	if err != nil {
		return 0 // no message has it
	}
	return n
}

// A TurnID identifies a turn, or a command, from when it is accepted. It stays the same when the
// turn is resumed by another process.
type TurnID string

// behind begins the ID of a turn that goes on with another one.
const behind = "after-"

// Next is the ID of the turn that goes on with this one.
func (t TurnID) Next() TurnID { return behind + t }

// Before is the ID of the turn with which this one goes on.
func (t TurnID) Before() (TurnID, bool) {
	before, ok := strings.CutPrefix(string(t), behind)
	return TurnID(before), ok
}

// Request is the ID of the first turn of a chain: what a person has asked for, of which the others are a part.
func (t TurnID) Request() TurnID {
	for before, ok := t.Before(); ok; before, ok = t.Before() {
		t = before
	}
	return t
}

// An Asker is who asked for something, and the message in which they did.
type Asker struct {
	User UserID
	Place
}

type askerKey struct{}

// AskedBy returns a context whose requests to Discord are made for somebody, which the server's
// audit log says.
func AskedBy(ctx context.Context, who Asker) context.Context {
	return context.WithValue(ctx, askerKey{}, who)
}

// AskerOf returns for whom requests are made. ok is false if that is nobody.
func AskerOf(ctx context.Context) (who Asker, ok bool) {
	who, _ = ctx.Value(askerKey{}).(Asker)
	return who, who.User != ""
}

// A round is one of actions, or of one approval.
type round struct {
	mu     sync.Mutex
	looked map[[2]string]bool
}

type roundKey struct{}

// InRound returns a context in which members are looked up afresh once, so that a role that was just taken away counts. Within
// another round it changes nothing.
func InRound(ctx context.Context) context.Context {
	if _, ok := ctx.Value(roundKey{}).(*round); ok {
		return ctx
	}
	return context.WithValue(ctx, roundKey{}, &round{looked: map[[2]string]bool{}})
}

// FirstLook reports whether a member is looked up for the first time in the context's round. Without a round it is false.
func FirstLook(ctx context.Context, g GuildID, u UserID) bool {
	r, ok := ctx.Value(roundKey{}).(*round)
	if !ok {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	key := [2]string{string(g), string(u)}
	first := !r.looked[key]
	r.looked[key] = true
	return first
}

// ErrNotFound means that a channel, message or member does not exist, or is not visible to the bot.
var ErrNotFound = errors.New("not found")

// IsPermanent reports whether Discord has refused a request, so that it was certainly not done and would be refused again.
func IsPermanent(err error) bool {
	var refusal interface{ Permanent() bool }
	return errors.As(err, &refusal) && refusal.Permanent()
}

// IsGone reports whether a request failed because a message or its channel was deleted.
func IsGone(err error) bool {
	var refusal interface{ Gone() bool }
	return errors.As(err, &refusal) && refusal.Gone()
}

// A remedied error is one that an operator of the bot can do something about.
type remedied struct {
	error
	remedy string
}

func (e *remedied) Unwrap() error { return e.error }

// WithRemedy adds to an error what an operator can do about it, such as a variable to set or a command
// to run. It is no part of the error's text, which every member may read: see ForOperators.
func WithRemedy(err error, remedy string) error { return &remedied{err, remedy} }

// ForOperators returns the error with its remedy in the text: "the delay is too long; raise …". Errors
// without one stay as they are. It is for operators and for the log.
func ForOperators(err error) error {
	found := (*remedied)(nil)
	if !errors.As(err, &found) {
		return err
	}
	return &toldRemedy{err, found.remedy}
}

// A toldRemedy is an error whose text has the remedy.
type toldRemedy struct {
	error
	remedy string
}

func (e *toldRemedy) Error() string { return e.error.Error() + "; " + e.remedy }
func (e *toldRemedy) Unwrap() error { return e.error }
