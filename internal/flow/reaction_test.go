package flow

import (
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"discoclaw/internal/access"
	"discoclaw/internal/chat"
	"discoclaw/internal/choices"
	"discoclaw/internal/flow/pipeline"
	"discoclaw/internal/store"
)

// A wallClock is a Server that knows what time it is, and nothing else.
type wallClock struct{ Server }

func (wallClock) Now() time.Time { return time.Now() }

// withQuestions returns flows that serve ada in channel 2, with questions at the
// messages 10 and 11, which is in a channel that is not served, an answered one at 12, and at 13 one
// that is open again, but not for ada.
// Choices are ✅ and 🛑.
func withQuestions(t *testing.T) *reactionSource {
	t.Helper()
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), store.FileName))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	f := New(Options{
		Server:    wallClock{},
		Access:    access.Policy{Users: []chat.UserID{"ada", "bot"}, Guild: "1", Channels: access.List[chat.ChannelID]{Set: true, IDs: []chat.ChannelID{"2"}}},
		Choices:   choices.NewStore(db),
		Reactions: Reactions{Added: true, Removed: true, MaxAge: time.Hour},
		Log:       slog.New(slog.NewTextHandler(io.Discard, nil)),
	}, pipeline.Options{}).reactions
	f.self.Become(chat.User{ID: "bot"})
	for message, channel := range map[chat.MessageID]chat.ChannelID{"10": "2", "11": "3", "12": "2", "13": "2"} {
		err := f.choices.Register(t.Context(), choices.Question{Message: message, Channel: channel, Text: "Ship it?", Choices: []chat.Emoji{"✅", "🛑"}})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, m := range []chat.MessageID{"12", "13"} {
		if first, err := f.choices.Resolve(t.Context(), m); err != nil || !first {
			t.Fatal(err)
		}
	}
	if ok, err := f.choices.Reopen(t.Context(), choices.Question{Message: "13", Channel: "2", Text: "Ship it?"}, "ada"); err != nil || !ok {
		t.Fatal(err)
	}
	return f
}

// TestGuardsOfReactions: the order of routes and guards matters, since an answer to a question is not too old, and a stop sign reaches no
// guard.
func TestGuardsOfReactions(t *testing.T) {
	f := withQuestions(t)
	var names []string
	for _, g := range f.guards() {
		names = append(names, g.Name)
	}
	if want := []string{"own reaction", "server", "person", "age", "channel", "answered question"}; !slices.Equal(names, want) {
		t.Errorf("the guards are %q, want %q", names, want)
	}
	now := time.Now()
	old := now.Add(-2 * time.Hour)
	plain := chat.Reacted{Place: chat.Place{Guild: "1", Channel: "2", Message: "20"}, Sent: now, Author: "ben", User: chat.User{ID: "ada"}, Emoji: "👍"}
	for _, tt := range []struct {
		name    string
		change  func(*chat.Reacted)
		objects string // the guard, or the stop sign; empty if none does
	}{
		{"a reaction", func(*chat.Reacted) {}, ""},
		{"one that is taken back", func(r *chat.Reacted) { r.Removed = true }, ""},
		{"in a thread of a listed channel", func(r *chat.Reacted) { r.Place.Channel, r.Place.Parent = "9", "2" }, ""},
		{"the bot's own, in a direct message", func(r *chat.Reacted) { r.User.ID, r.Place.Guild = "bot", "" }, "own reaction"},
		{"a stranger, in a direct message", func(r *chat.Reacted) { r.User.ID, r.Place.Guild = "zed", "" }, "server"},
		{"a stranger's answer", func(r *chat.Reacted) { r.User.ID, r.Place.Message, r.Emoji = "zed", "10", "✅" }, "person"},
		{"a stranger's stop sign", func(r *chat.Reacted) { r.User.ID, r.Author, r.Emoji = "zed", "bot", "🛑" }, "person"},
		{"a bot on the list", func(r *chat.Reacted) { r.User.Bot = true }, "person"},
		{"nobody", func(r *chat.Reacted) { r.User.ID = "" }, "person"},
		{"a stop sign on another server", func(r *chat.Reacted) { r.Place.Guild, r.Author, r.Emoji = "8", "bot", "🛑" }, "person"},
		{"a stop sign, on an old message in another channel", func(r *chat.Reacted) { r.Author, r.Emoji, r.Sent, r.Place.Channel = "bot", "🛑", old, "3" }, "stop sign"},
		{"a stop sign in its other spelling", func(r *chat.Reacted) { r.Author, r.Emoji = "bot", "🛑\uFE0F" }, "stop sign"},
		{"a stop sign that is taken back", func(r *chat.Reacted) { r.Author, r.Emoji, r.Removed = "bot", "🛑", true }, "stop sign"},
		{"a stop sign on somebody's message", func(r *chat.Reacted) { r.Emoji = "🛑" }, ""},
		{"a stop sign as an answer, to an old question", func(r *chat.Reacted) { r.Place.Message, r.Author, r.Emoji, r.Sent = "10", "bot", "🛑", old }, ""},
		{"a stop sign at a question, taken back", func(r *chat.Reacted) {
			r.Place.Message, r.Author, r.Emoji, r.Removed = "10", "bot", "🛑", true
		}, "stop sign"},
		{"no answer, to an old question", func(r *chat.Reacted) { r.Place.Message, r.Author, r.Sent = "10", "bot", old }, "age"},
		{"an old message in another channel", func(r *chat.Reacted) { r.Sent, r.Place.Channel = old, "3" }, "age"},
		{"another channel", func(r *chat.Reacted) { r.Place.Channel = "3" }, "channel"},
		{"a choice of an answered question", func(r *chat.Reacted) { r.Place.Message, r.Author, r.Emoji = "12", "bot", "✅" }, "answered question"},
		{"a choice of an old one", func(r *chat.Reacted) {
			r.Place.Message, r.Author, r.Emoji, r.Sent = "12", "bot", "✅", old
		}, "age"},
		{"a choice of one that is open again for others", func(r *chat.Reacted) { r.Place.Message, r.Author, r.Emoji = "13", "bot", "✅" }, "answered question"},
		{"a stop sign there", func(r *chat.Reacted) { r.Place.Message, r.Author, r.Emoji = "13", "bot", "🛑" }, "stop sign"},
		{"a stop sign at an answered question", func(r *chat.Reacted) { r.Place.Message, r.Author, r.Emoji = "12", "bot", "🛑" }, "stop sign"},
		{"no choice, at an answered question", func(r *chat.Reacted) { r.Place.Message, r.Author = "12", "bot" }, ""},
		{"a choice of an answered question, taken back", func(r *chat.Reacted) {
			r.Place.Message, r.Author, r.Emoji, r.Removed = "12", "bot", "✅", true
		}, ""},
		{"an answer in another channel", func(r *chat.Reacted) { r.Place.Channel, r.Place.Message, r.Emoji = "3", "11", "✅" }, "channel"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := &reaction{Reacted: plain}
			tt.change(&r.Reacted)
			objects := ""
			to, why := f.routeOf(t.Context(), r)
			if to == toStop || why == "a stop sign that was taken back" {
				objects = "stop sign"
			}
			for _, g := range f.guards() {
				if objects != "" {
					break
				}
				if g.Objects(t.Context(), pipeline.Event[*reaction]{Body: r}) != access.Admitted {
					objects = g.Name
					break
				}
			}
			if objects != tt.objects {
				t.Errorf("%q objects, want %q", objects, tt.objects)
			}
		})
	}
}

func waits(t *testing.T, f *reactionSource, m chat.MessageID) bool {
	t.Helper()
	_, ok, err := f.choices.Match(t.Context(), m, "✅")
	if err != nil {
		t.Fatal(err)
	}
	return ok
}

func TestAnAnswerThatAGuardObjectsToLeavesTheQuestionOpen(t *testing.T) {
	t.Parallel()
	f := withQuestions(t)
	f.reacted(t.Context(), chat.Reacted{Place: chat.Place{Guild: "1", Channel: "3", Message: "11"}, User: chat.User{ID: "ada"}, Author: "bot", Emoji: "✅"})
	f.reacted(t.Context(), chat.Reacted{Place: chat.Place{Guild: "1", Channel: "2", Message: "10"}, User: chat.User{ID: "zed"}, Author: "bot", Emoji: "✅"})
	if !waits(t, f, "11") || !waits(t, f, "10") {
		t.Error("a question does not wait any more")
	}
}

func TestADeletedQuestionIsForgotten(t *testing.T) {
	t.Parallel()
	f := withQuestions(t)
	f.forget(t.Context(), chat.Place{Guild: "1", Channel: "2", Message: "10"})
	if waits(t, f, "10") || !waits(t, f, "11") {
		t.Error("the wrong question was forgotten, or none")
	}
}

func TestWithoutAMaxAgeNoMessageIsTooOld(t *testing.T) {
	f := &reactionSource{deps: &deps{}}
	if why := f.isTooOld(t.Context(), &reaction{Reacted: chat.Reacted{Sent: time.Unix(0, 0)}}); why != access.Admitted {
		t.Error(why)
	}
}

func TestTheLatestNameOfAUserIsCached(t *testing.T) {
	var p users
	for _, tt := range []struct{ tell, want string }{{"", ""}, {"Ada", "Ada"}, {"", "Ada"}, {"Ada L.", "Ada L."}, {"", "Ada L."}} {
		if got := p.remember(chat.User{ID: "1", Name: tt.tell}); got.Name != tt.want || got.ID != "1" {
			t.Errorf("told %q: %+v, want %q", tt.tell, got, tt.want)
		}
	}
}
