package actions

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strings"
	"sync"

	"discoclaw/internal/chat"
	"discoclaw/internal/consent"
)

// A Wish is what the person who asks wrote, as far as it says what they want, and where that stands.
type Wish struct {
	Words   string         // of the messages that are answered, without quotes and code
	Earlier []consent.Said // of theirs before, in the same channel, oldest first
	ReplyTo Pointed        // the message that theirs replies to
	Above   Pointed        // the message directly above theirs
	Done    []string       // what was already done in this turn
	Unnamed int            // how much of that the words do not name
}

// Pointed is a message that words may point at. The zero value is none.
type Pointed struct {
	Message chat.MessageID
	Channel chat.ChannelID
	Author  chat.UserID // empty for a webhook
	By      string      // "someone else", "the bot" or "the asker"
}

// quotedWords are not the asker's own: lines of a quote, and code, which people paste. A single word in code is a name.
var quotedWords = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("(?m)^\\s*>.*$|(?s:```.*?(?:```|\\z)|``.*?``)|`[^`]*\\s[^`]*`")
})

// quotedRest begins a quote of all that follows.
var quotedRest = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^[ \t]*>>>(?:\s|\z)`) })

// OwnWords returns what a person typed, without what they quote.
func OwnWords(text string) string {
	if at := quotedRest().FindStringIndex(text); at != nil {
		text = text[:at[0]]
	}
	return strings.TrimSpace(quotedWords().ReplaceAllString(text, " "))
}

// Without leaves out of the words what stands in texts from outside as well.
func (w *Wish) Without(read *chat.Reading) *Wish {
	if w == nil {
		return nil
	}
	own := *w
	own.Words = read.Without(w.Words)
	own.Earlier = slices.Clone(w.Earlier)
	for i := range own.Earlier {
		own.Earlier[i].Words = read.Without(own.Earlier[i].Words)
	}
	return &own
}

// said are all words that may name things: those of the message that asks, and of the earlier ones.
func (w *Wish) said() string { return strings.Join(append([]string{w.Words}, w.Before()...), "\n") }

// Before returns the words of the earlier messages.
func (w *Wish) Before() (words []string) {
	for _, e := range w.Earlier {
		words = append(words, e.Words)
	}
	return words
}

// stands says where the words stand.
func (w *Wish) stands() string {
	switch {
	case w.ReplyTo.Message != "":
		return "it replies to a message by " + w.ReplyTo.By
	case w.Above.Message != "":
		return "directly above stands a message by " + w.Above.By
	}
	return ""
}

// has reports whether the words have an ID, as such, in a mention or in a link.
func (w *Wish) has(id string) bool {
	said := w.said()
	at := strings.Index(said, id)
	digit := func(i int) bool { return i >= 0 && i < len(said) && said[i] >= '0' && said[i] <= '9' }
	return id != "" && at >= 0 && !digit(at-1) && !digit(at+len(id))
}

// WordsFor returns what is kept beside a text that will ask for something later: the words that asked for it. Its runs are compared with
// them instead of with the text, which outside text may have led to. It is the text itself if people have approved that.
func (c Call) WordsFor(text string) string {
	switch {
	case c.Origin.Outside == "":
		return ""
	case c.afterwards:
		return text
	case c.Origin.Wish == nil:
		return ""
	}
	return c.Origin.Wish.Words
}

// Later is the wish of a turn that begins later, with its text and what WordsFor has returned for it.
func Later(text, words string, of chat.Sources) func() *Wish {
	if of == "" {
		words = text
	}
	return func() *Wish { return &Wish{Words: words} }
}

// points returns the message that the words may point at.
func (w *Wish) points() Pointed {
	if w.ReplyTo.Message != "" {
		return w.ReplyTo
	}
	return w.Above
}

// A wishing finds what requests are about in the words of the asker. It never returns anything that somebody else wrote.
type wishing struct {
	*Wish
	call Call
	d    *Dispatcher
}

// channel is a channel in the asker's words, and whether these name it.
func (w wishing) channel(ctx context.Context, id chat.ChannelID) (phrase string, named bool) {
	at := w.call.Origin.Place
	switch {
	case id == at.Channel:
		if name := w.callsChannel(ctx, id); name != "" {
			return name + ", where the request stands", true
		}
		return "the channel where the request stands", true
	case id == at.Parent && id != "":
		return "the channel of the thread where the request stands", true
	case w.has(string(id)):
		return "the channel " + id.Mention(), true
	}
	if name := w.callsChannel(ctx, id); name != "" {
		return name, true
	}
	ch, _ := w.place(ctx, string(id))
	return "a " + nounOf(ch.Kind) + " that the request does not name", false
}

// callsChannel is a channel by the name that the words have; empty if they have none, or if that means another one or the thread of an
// outsider, who may have chosen it for that.
func (w wishing) callsChannel(ctx context.Context, id chat.ChannelID) string {
	ch, err := w.place(ctx, string(id))
	if err != nil || ch.Kind == chat.Thread && w.isOutsider(ch.Owner) {
		return ""
	}
	as, ok := chat.Spelled(w.said(), ch.Name)
	if !ok {
		return ""
	}
	if other, err := w.place(ctx, as); err != nil || other.ID != id {
		return ""
	}
	return "the " + nounOf(ch.Kind) + ` "` + as + `"`
}

func (w wishing) place(ctx context.Context, ref string) (chat.Channel, error) {
	return w.d.Places(ctx, w.call.Origin.Place.Guild, w.call.Origin.Requester, chat.ChannelRef(ref))
}

func nounOf(k chat.Kind) string {
	switch {
	case k == chat.Thread:
		return "thread"
	case k == chat.CategoryKind:
		return "category"
	case k.HasPosts():
		return "forum"
	case k == chat.Voice:
		return "voice channel"
	}
	return "channel"
}

// isOutsider reports whether a user gives the bot no orders.
func (w wishing) isOutsider(u chat.UserID) bool {
	return w.call.source == nil || u == "" || w.call.source(chat.Message{Author: chat.User{ID: u}, Place: w.call.Origin.Place}) != ""
}

// role is a role in the asker's words, and whether these name it.
func (w wishing) role(ctx context.Context, id chat.RoleID) (phrase string, named bool) {
	g := w.call.Origin.Place.Guild
	switch {
	case string(id) == string(g):
		return "everyone", strings.Contains(w.Words, "@everyone")
	case w.call.willMake(string(id)) && !chat.IsID(string(id)):
		return "the new role", true
	case w.has(string(id)):
		return "the role " + chat.Role{ID: id}.Mention(), true
	}
	if r, err := w.d.Roles(ctx, g, chat.RoleRef(id)); err == nil {
		if as, ok := chat.Spelled(w.said(), r.Name); ok {
			if other, err := w.d.Roles(ctx, g, chat.RoleRef(as)); err == nil && other.ID == id {
				return `the role "` + as + `"`, true
			}
		}
	}
	return "a role that the request does not name", false
}

// user is a person in the asker's words, and whether these name them. Who is not on the list is named by ID or by a reply alone:
// anybody may take another's name.
func (w wishing) user(ctx context.Context, id chat.UserID) (phrase string, named bool) {
	p := w.points()
	switch {
	case id == w.call.Origin.Requester:
		return "the asker", true
	case w.has(string(id)):
		return "the member " + id.Mention(), true
	case id == p.Author && id != "" && w.ReplyTo.Message != "":
		return "the author of the message it replies to, " + p.By, true
	case id == p.Author && id != "":
		return "the author of the message directly above, " + p.By, false
	}
	find := func(ref string) (chat.Member, error) {
		return w.d.Users(ctx, w.call.Origin.Place.Guild, w.call.Origin.Requester, chat.UserRef(ref))
	}
	m, err := find(string(id))
	if err != nil {
		return "a member that the request does not name", false
	}
	names := []string{m.DisplayName, m.Name, m.Handle}
	for _, name := range names {
		if as, ok := chat.Spelled(w.said(), name); ok && !w.isOutsider(id) {
			if other, err := find(as); err == nil && other.ID == id {
				return `the member "` + as + `"`, true
			}
		}
	}
	return cmp.Or(w.called(names...), "a member that the request does not name"), false
}

// called describes somebody by a name that the words have, or one that begins like it, as names do that are inflected. It names nobody:
// anybody may be called so.
func (w wishing) called(names ...string) string {
	for _, name := range names {
		if as, ok := chat.Spelled(w.said(), name); ok {
			return `somebody called "` + as + `"`
		}
	}
	for _, name := range names {
		if as, ok := likeIn(w.said(), chat.Words(name)); ok {
			return `somebody whose name is like "` + as + `"`
		}
	}
	return ""
}

// message is a message in the asker's words, and whether these point at it.
func (w wishing) message(ctx context.Context, ref chat.MessageRef) (phrase string, pointed bool) {
	at := w.call.Origin.Place
	switch id := ref.ID(); {
	case ref == chat.Last:
		return "the bot's latest message there", true
	case id == at.Message && id != "":
		return "the request itself", true
	case id == w.ReplyTo.Message && id != "":
		return "the message it replies to, by " + w.ReplyTo.By, true
	case id == w.Above.Message && id != "":
		return "the message directly above, by " + w.Above.By, w.ReplyTo.Message == ""
	case w.has(string(id)):
		return "the message " + string(id) + " that the request links", true
	}
	if ch, checked := w.call.Checked(); checked && w.d.Messages != nil {
		if m, err := w.d.Messages(ctx, ch, ref.ID()); err == nil {
			if by := w.called(m.Author.Name); by != "" {
				return "a message by " + by, false
			}
		}
	}
	return "a message that the request does not name", false
}

// refsIn returns the references of a type in the input of an action.
func refsIn[T ~string](b Bound) (list []T) {
	for _, v := range refs[T](b.copied()) {
		if v.String() != "" {
			list = append(list, T(v.String()))
		}
	}
	return list
}

// named reports whether the words name everything that a request touches, and, if that is something new, its name.
func (w wishing) named(ctx context.Context, b Bound, r Request) bool {
	all := true
	and := func(_ string, named bool) { all = all && named }
	channels, messages := refsIn[chat.ChannelRef](b), refsIn[chat.MessageRef](b)
	users, roles := slices.Concat(refsIn[chat.UserRef](b), as[chat.UserRef](refsIn[chat.BannedRef](b))), refsIn[chat.RoleRef](b)
	there := len(messages) > 0 // the channel is that of messages that the words point at
	for _, m := range messages {
		and(w.message(ctx, m))
		there = there && m != chat.Last
	}
	if ch, ok := w.call.Checked(); ok && b.Action.firstChannel() != "" && len(channels) == 0 && !there {
		and(w.channel(ctx, ch))
	}
	for _, ref := range channels {
		if id, ok := ref.ID(); ok && !there {
			and(w.channel(ctx, id))
		} else if !ok {
			and("", w.call.willMake(string(ref)))
		}
	}
	for _, ref := range users {
		and(w.user(ctx, ref.ID()))
	}
	for _, ref := range roles {
		and(w.role(ctx, chat.RoleID(ref)))
	}
	if name := member(r, "name"); name != "" && len(users)+len(roles)+len(messages) == 0 && strings.HasSuffix(b.Action.Name, "Create") {
		and(chat.Spelled(w.Words, name))
	}
	return all
}

func as[T ~string, F ~string](list []F) (other []T) {
	for _, one := range list {
		other = append(other, T(one))
	}
	return other
}
