// Package session has the bot talk in the calls that it is in: a [Host] hears people by package hear, takes turns by package talk, and
// speaks by packages speech and player. Turns of models are up to whoever it tells what was said; see [Host.Run].
package session

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/spend"
	"discoclaw/internal/voice"
	"discoclaw/internal/voice/hear"
	"discoclaw/internal/voice/link"
	"discoclaw/internal/voice/player"
	"discoclaw/internal/voice/services"
	"discoclaw/internal/voice/spoken"
	"discoclaw/internal/voice/talk"
)

// Options are what a Host works with.
type Options struct {
	services.Services
	Meter *spend.Meter

	// Where returns where the bot is in voice on a server, and Others who else is there.
	Where  func(g chat.GuildID) (voice.Status, bool)
	Others func(g chat.GuildID, ch chat.ChannelID) (there []chat.Occupant, changed <-chan struct{})
	// Serves reports whether a person is heard in a room.
	Serves func(who chat.User, room chat.Place) bool
	Server Server
	Zone   *time.Location // of times that are read aloud; nil means this machine's

	Copies     chat.ChannelID  // a channel that also gets what was said; empty for none
	Addressing string          // one of package talk; empty means talk.Auto
	Wake       func() []string // the words that call the bot
	Log        *slog.Logger    // nil discards
}

// A Server is what a Host needs of Discord.
type Server interface {
	ChannelByID(ctx context.Context, id chat.ChannelID) (chat.Channel, error)
	// Readable reports whether all members that see one channel may read the other.
	Readable(ctx context.Context, g chat.GuildID, here, source chat.ChannelID) (bool, error)
	// Enterable reports whether all members that see one channel may enter the call in the other.
	Enterable(ctx context.Context, g chat.GuildID, here, room chat.ChannelID) (bool, error)
	Send(ctx context.Context, ch chat.ChannelID, m chat.Outgoing) (chat.MessageID, error)
}

// A Host has the bot talk. It is safe for concurrent use.
type Host struct {
	o     Options
	began chan struct{} // closed by Run
	said  func(Said)

	mu    sync.Mutex
	rooms map[chat.GuildID]*room
}

// A Said is something that a person said to the bot.
type Said struct {
	Room chat.Place
	By   chat.User
	Text string
	At   time.Time // when they had said it
}

// New returns a Host that is in no call.
func New(o Options) *Host {
	o.Log, o.Zone = cmp.Or(o.Log, slog.New(slog.DiscardHandler)), cmp.Or(o.Zone, time.Local)
	return &Host{o: o, began: make(chan struct{}), rooms: map[chat.GuildID]*room{}}
}

// Run gives what people say to the bot to said. It is called once.
func (h *Host) Run(said func(Said)) {
	h.said = said
	close(h.began)
}

// Hears and Speaks report whether the bot can do that at all.
func (h *Host) Hears() bool  { return h.o.Transcribe != nil }
func (h *Host) Speaks() bool { return h.o.Speech != nil }

// A room is the talk of one call.
type room struct {
	*Host
	guild  chat.GuildID
	talk   *talk.Room
	player *player.Player

	mu       sync.Mutex
	told     map[chat.UserID]bool // whom the notice has reached
	answered *answer              // the latest
}

// Talk talks in a call until ctx ends.
func (h *Host) Talk(ctx context.Context, g chat.GuildID, call *link.Call, p *player.Player) {
	select {
	case <-h.began:
	case <-ctx.Done():
		return
	}
	r := &room{Host: h, guild: g, player: p, told: map[chat.UserID]bool{}}
	r.talk = talk.New(talk.Options{
		Begin: r.begin, Synthesise: r.synthesise, Play: r.play, People: func() int { return len(r.people()) },
		Addressing: talk.Addressing(h.o.Addressing), Wake: h.o.Wake(), Apology: apology, Log: h.o.Log,
		Failed: func(err error) { r.post(ctx, cannotSpeak(err)) },
	})
	h.enter(r)
	now, _ := h.o.Where(g)
	r.talk.Mute(now.Mute) // it may have been muted before it came
	defer h.leave(r)
	var parts sync.WaitGroup
	defer parts.Wait()
	parts.Go(func() { r.talk.Run(ctx) })
	if h.Hears() {
		parts.Go(func() { r.tell(ctx, call) })
		hear.Run(ctx, call.Frames(), hear.Options{
			Listens: r.listens, Recogniser: h.o.Recogniser(), Pay: r.payForHearing, Heard: r.heard,
			Crowded: func(who chat.UserID) { r.post(ctx, crowded(who)) },
			Failed:  func(_ chat.UserID, err error) { r.post(ctx, cannotHear(err)) },
			Log:     h.o.Log,
		})
	}
	<-ctx.Done()
}

func (h *Host) enter(r *room) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.rooms[r.guild] = r
}

// Adjusted silences the bot where it was muted.
func (h *Host) Adjusted(g chat.GuildID, now voice.Status) {
	h.mu.Lock()
	r := h.rooms[g]
	h.mu.Unlock()
	if r != nil {
		r.talk.Mute(now.Mute)
	}
}

func (h *Host) leave(r *room) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.rooms[r.guild] == r {
		delete(h.rooms, r.guild)
	}
}

// at is the room's place now: moderators move the bot.
func (r *room) at() chat.Place {
	now, _ := r.o.Where(r.guild)
	return chat.Place{Guild: r.guild, Channel: now.Channel}
}

// people are those in the call who are no bots.
func (r *room) people() (list []chat.Occupant) {
	there, _ := r.o.Others(r.guild, r.at().Channel)
	for _, who := range there {
		if !who.Bot {
			list = append(list, who)
		}
	}
	return list
}

// listens reports whether somebody is heard: they are served and have been told, and the bot is not deafened.
func (r *room) listens(who chat.UserID) bool {
	now, _ := r.o.Where(r.guild)
	r.mu.Lock()
	told := r.told[who]
	r.mu.Unlock()
	return told && !now.Deaf && r.o.Serves(chat.User{ID: who}, chat.Place{Guild: r.guild, Channel: now.Channel})
}

// heard takes what was understood. By then the person may not want to be heard any more.
func (r *room) heard(u hear.Utterance) {
	if r.listens(u.User) {
		r.talk.Heard(talk.Utterance(u))
	}
}

// begin passes on what is for the bot.
func (r *room) begin(u talk.Utterance) {
	by := chat.User{ID: u.User}
	for _, who := range r.people() {
		if who.ID == u.User {
			by = who.User
		}
	}
	r.said(Said{Room: r.at(), By: by, Text: u.Text, At: u.Ended})
}

// Log is the channel that also gets what was said in a room, if everybody who reads it may enter the room.
func (h *Host) Log(ctx context.Context, room chat.Place) chat.ChannelID {
	if h.o.Copies == "" {
		return ""
	}
	open, err := h.o.Server.Enterable(ctx, room.Guild, h.o.Copies, room.Channel)
	if err != nil || !open {
		h.o.Log.WarnContext(ctx, "DISCOCLAW_VOICE_LOG_CHANNEL is not used: not everybody who reads it may enter the voice channel",
			"channel", room.Channel, "err", err)
		return ""
	}
	return h.o.Copies
}

// post writes into the chat of the room. What cannot be written is in the log.
func (r *room) post(ctx context.Context, text string) bool {
	_, err := r.o.Server.Send(ctx, r.at().Channel, chat.Outgoing{Text: text})
	if err != nil && ctx.Err() == nil {
		r.o.Log.WarnContext(ctx, "cannot write into the chat of a voice channel", "guild", r.guild, "channel", r.at().Channel, "err", err)
	}
	return err == nil
}

// Answer begins to say an answer to somebody in the call of a room. Interrupt stops the model. An answer to them that has not ended is
// over: another turn has taken its place.
func (h *Host) Answer(at chat.Place, to chat.UserID, interrupt func(by chat.UserID)) *Answer {
	h.mu.Lock()
	r := h.rooms[at.Guild]
	h.mu.Unlock()
	if r == nil || !h.Speaks() {
		return &Answer{} // the call is over, so it is only read
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.answered != nil {
		r.answered.Drop()
	}
	r.answered = &answer{r.talk.Answer(to, interrupt)}
	return &Answer{talk: r.answered.Answer, name: h.name(at)}
}

type answer struct{ *talk.Answer }

// An Answer is read aloud while it is written. Only Wait blocks. The zero value is not read.
type Answer struct {
	talk *talk.Answer
	name func(mention string) string

	mu    sync.Mutex
	split spoken.Splitter // of this round
}

// Grow takes the text of a round as far as it is written.
func (a *Answer) Grow(text string) { a.say(text, (*spoken.Splitter).Add) }

// Finish takes the whole text of a round. What was said of it stays said.
func (a *Answer) Finish(text string) {
	a.say(text, (*spoken.Splitter).Finish)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.split = spoken.Splitter{}
}

func (a *Answer) say(text string, split func(*spoken.Splitter, string) []string) {
	if a.talk == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, sentence := range split(&a.split, spoken.Clean(text, a.name)) {
		a.talk.Say(sentence)
	}
}

// Wait returns when everything was said, since no more comes, and what people have heard. If ctx ends first, the rest is not said.
func (a *Answer) Wait(ctx context.Context) (heard string) {
	if a.talk == nil {
		return ""
	}
	a.talk.End()
	heard = a.talk.Wait(ctx)
	if ctx.Err() != nil {
		a.talk.Drop()
	}
	return heard
}

// Drop ends the answer. What was not said yet is not said.
func (a *Answer) Drop() {
	if a.talk != nil {
		a.talk.Drop()
	}
}
