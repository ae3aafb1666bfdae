package recall_test

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/memory/recall"
	"discoclaw/internal/store"
)

// A server is a Discord with the bot connected, whose engine hears everything.
type server struct {
	*discordtest.World
	discordtest.Deaf
	t      *testing.T
	db     *store.DB
	client *discord.Client
	engine *recall.Engine
	ready  chan struct{}
	away   atomic.Bool // events are lost
}

const world = "guild disco: #general #ops #staff\nmember ada: owner\nmember bob\nstranger zed"

// onServer runs a test in a bubble.
func onServer(t *testing.T, test func(t *testing.T, s *server), change ...func(*testing.T, *recall.Options)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &server{World: discordtest.New(t, world), t: t, ready: make(chan struct{})}
		s.client = discord.New(discord.Options{Token: s.Token(), APIURL: s.APIURL(), HTTP: s.HTTP()})
		s.db = opened(t, filepath.Join(t.TempDir(), store.FileName))
		s.must(s.Allow("#staff", "bot", chat.ViewChannel))
		s.must(s.Deny("#staff", "everyone", chat.ViewChannel))
		o := recall.Options{DB: s.db, Server: s.client, Outsider: s.isOutsider, Log: slog.New(slog.NewTextHandler(t.Output(), nil))}
		for _, f := range change {
			f(t, &o)
		}
		s.engine = recall.New(o)
		ctx, leave := context.WithCancel(context.Background())
		left, ended := make(chan error, 1), make(chan struct{})
		go func() { left <- s.client.Run(ctx, s) }()
		go func() {
			defer close(ended)
			s.engine.Run(ctx)
		}()
		<-s.ready
		test(t, s)
		leave()
		<-ended
		s.must(<-left)
		s.must(s.db.Close())
	})
}

func opened(t *testing.T, path string) *store.DB {
	t.Helper()
	db, err := store.Open(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	return db
}

func (s *server) Ready(chat.User) {
	s.engine.Missed("")
	close(s.ready)
}
func (s *server) Message(_ context.Context, m chat.Message) { s.engine.Heard(m) }
func (s *server) ChannelDeleted(p chat.Place)               { s.engine.ChannelDeleted(p) }

func (s *server) Edited(_ context.Context, m chat.Message) {
	if !s.away.Load() {
		s.engine.Edited(m)
	}
}

func (s *server) Deleted(_ context.Context, p chat.Place) {
	if !s.away.Load() {
		s.engine.Deleted(p)
	}
}

func (s *server) isOutsider(m chat.Message) bool {
	return m.Author.Bot || m.Author.ID == s.UserID("zed")
}

func (s *server) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// say says something and lets it be written.
func (s *server) say(who, where, text string) fakediscord.Message {
	s.t.Helper()
	m := s.MustSay(who, where, text)
	s.settle()
	return m
}

func (s *server) settle() {
	time.Sleep(10 * time.Second)
	synctest.Wait()
}

// asks returns the texts that are found for a person who asks in #general.
func (s *server) asks(who, text string, change ...func(*recall.Query)) []string {
	s.t.Helper()
	q := recall.Query{Here: chat.Place{Guild: s.GuildID(), Channel: s.ChannelID("#general")}, People: []chat.UserID{s.UserID(who)}, Text: text, Limit: 10}
	for _, f := range change {
		f(&q)
	}
	hits, err := s.engine.Search(s.t.Context(), q)
	s.must(err)
	var texts []string
	for _, h := range hits {
		texts = append(texts, h.Text)
	}
	return texts
}

func (s *server) requires(got []string, want ...string) {
	s.t.Helper()
	if !slices.Equal(got, want) {
		s.t.Errorf("found %q, want %q", got, want)
	}
}

// rows counts the rows of all tables that hold something of a message.
func (s *server) rows() string {
	s.t.Helper()
	var counts []string
	for _, of := range []string{"recall", "recall_vectors", "recall_parts", "recall_words_docsize"} {
		var n int
		s.must(s.db.QueryRowContext(s.t.Context(), "SELECT COUNT(*) FROM "+of).Scan(&n))
		counts = append(counts, fmt.Sprint(n))
	}
	_, err := s.db.ExecContext(s.t.Context(), "INSERT INTO recall_words (recall_words, rank) VALUES ('integrity-check', 1)")
	s.must(err)
	return strings.Join(counts, " ")
}

func TestWhatWasSaidIsFound(t *testing.T) {
	onServer(t, func(t *testing.T, s *server) {
		s.say("bob", "#ops", "The backup of db-2 runs at four in the morning.")
		s.say("bob", "#ops", "Lunch was fine.")
		s.requires(s.asks("ada", "when do our backups run?"), "The backup of db-2 runs at four in the morning.")
		s.requires(s.asks("ada", "and what is the weather like there?"))
	})
}

func TestOnlyWhatAllWhoAskMayReadIsFound(t *testing.T) {
	onServer(t, func(t *testing.T, s *server) {
		s.say("ada", "#staff", "The salaries rise in May.")
		s.requires(s.asks("ada", "salaries"), "The salaries rise in May.")
		s.requires(s.asks("bob", "salaries"))
		s.requires(s.asks("ada", "salaries", func(q *recall.Query) { q.People = append(q.People, s.UserID("bob")) }))
		s.requires(s.asks("ada", "salaries", func(q *recall.Query) { q.People = nil }))
		s.must(s.Allow("#staff", "bob", chat.ViewChannel))
		synctest.Wait()
		s.requires(s.asks("bob", "salaries"), "The salaries rise in May.")
		s.must(s.Deny("#staff", "bob", chat.ViewChannel))
		synctest.Wait()
		s.requires(s.asks("bob", "salaries"))
		s.must(s.Deny("#ops", "bob", chat.ReadHistory))
		s.say("ada", "#ops", "The servers move in June.")
		s.requires(s.asks("bob", "servers"))
	})
}

// TestABusyChannelHidesNothing: rows that are not for bob are passed over in the query, not after it.
func TestABusyChannelHidesNothing(t *testing.T) {
	onServer(t, func(t *testing.T, s *server) {
		s.say("bob", "#ops", "A word about the budget, long ago, among many others that are said here.")
		for range 100 {
			s.MustSay("ada", "#staff", "budget budget")
		}
		s.settle()
		s.requires(s.asks("bob", "budget"), "A word about the budget, long ago, among many others that are said here.")
	})
}

func TestThreadsGoByTheirChannel(t *testing.T) {
	onServer(t, func(t *testing.T, s *server) {
		_, err := s.StartThread("ada", "#staff", "pay")
		s.must(err)
		_, err = s.StartThread("ada", "#ops", "disks")
		s.must(err)
		s.say("ada", "pay", "Bonus figures for April.")
		s.say("ada", "disks", "Disk figures for April.")
		s.requires(s.asks("bob", "figures"), "Disk figures for April.")
		if got := s.asks("ada", "figures"); len(got) != 2 {
			t.Errorf("ada finds %q", got)
		}
		s.requires(s.asks("ada", "figures", func(q *recall.Query) { q.In = s.ChannelID("#staff") }), "Bonus figures for April.")
		s.requires(s.asks("ada", "figures", func(q *recall.Query) { q.In = s.ChannelID("disks") }), "Disk figures for April.")
		s.must(s.DeleteChannel("disks"))
		synctest.Wait()
		s.requires(s.asks("bob", "figures"))
		s.must(s.DeleteChannel("#staff"))
		s.settle()
		if got := s.rows(); got != "0 0 0 0" {
			t.Errorf("rows are left: %s", got)
		}
	})
}

func TestWhatIsNotKept(t *testing.T) {
	onServer(t, func(t *testing.T, s *server) {
		s.say("zed", "#ops", "Buy my wombats.")
		s.say("ada", "#ops", "!remind wombats in 5m")
		s.say("ada", "#ops", "!secret set OPENAI_API_KEY=wombats")
		s.say("ada", "#ops", "!secert wombats")
		if got := s.rows(); got != "0 0 0 0" {
			t.Errorf("kept: %s", got)
		}
		s.say("ada", "#ops", "<@"+string(s.client.Self().ID)+"> wombats!")
		s.requires(s.asks("ada", "wombats"), "wombats!")
	})
}

func TestOutsidersAreMarked(t *testing.T) {
	onServer(t, func(t *testing.T, s *server) {
		s.say("zed", "#ops", "Buy my wombats.")
		hits, err := s.engine.Search(t.Context(), recall.Query{
			Here: chat.Place{Guild: s.GuildID(), Channel: s.ChannelID("#general")}, People: []chat.UserID{s.UserID("ada")}, Text: "wombats", Limit: 5,
		})
		s.must(err)
		if len(hits) != 1 || hits[0].Outside != chat.Sources("a message by "+s.UserID("zed").Mention()) {
			t.Errorf("found %+v", hits)
		}
	}, func(_ *testing.T, o *recall.Options) { o.All = true })
}

func TestChannelsCanBeChosen(t *testing.T) {
	onServer(t, func(t *testing.T, s *server) {
		_, err := s.StartThread("ada", "#ops", "disks")
		s.must(err)
		s.say("ada", "#general", "wombats one")
		s.engine.Channels[0] = s.ChannelID("#ops")
		s.say("ada", "#general", "wombats two")
		s.say("ada", "#ops", "wombats three")
		s.say("ada", "disks", "wombats four")
		got := s.asks("ada", "wombats")
		slices.Sort(got)
		s.requires(got, "wombats four", "wombats three")
	}, func(_ *testing.T, o *recall.Options) { o.Channels = []chat.ChannelID{"1"} })
}

func TestEditsReplaceAndDeletesRemove(t *testing.T) {
	onServer(t, func(t *testing.T, s *server) {
		m := s.say("bob", "#ops", "The wombats arrive on Monday.")
		s.must(s.EditAs("bob", m.ID, "The wombats arrive on Friday."))
		s.settle()
		s.requires(s.asks("ada", "Monday"))
		s.requires(s.asks("ada", "wombats"), "The wombats arrive on Friday.")
		s.must(s.DeleteAs("bob", m.ID))
		synctest.Wait() // not written yet
		s.requires(s.asks("ada", "wombats"))
		s.settle()
		if got := s.rows(); got != "0 0 0 0" {
			t.Errorf("rows are left: %s", got)
		}
	})
}

// TestTheQueueIsBounded: a burst drops the oldest messages, and no deletion.
func TestTheQueueIsBounded(t *testing.T) {
	onServer(t, func(t *testing.T, s *server) {
		old := s.say("bob", "#ops", "wombats of old")
		s.must(s.DeleteAs("bob", old.ID))
		synctest.Wait()
		at := chat.Place{Guild: s.GuildID(), Channel: s.ChannelID("#ops")}
		for i := range 1500 {
			m := chat.Message{ID: chat.MessageID(fmt.Sprint(200000000000000000 + i)), Place: at, Author: chat.User{ID: s.UserID("ada")}, Text: fmt.Sprint("wombat number ", i)}
			s.engine.Heard(m)
		}
		s.settle()
		if got := s.rows(); got != "1000 0 0 1000" {
			t.Errorf("rows: %s", got)
		}
		s.requires(s.asks("ada", "old"))
	})
}

func TestWhatIsKnownIsLeftOut(t *testing.T) {
	onServer(t, func(t *testing.T, s *server) {
		m := s.say("bob", "#general", "wombats here")
		s.say("bob", "#ops", "wombats there")
		s.requires(s.asks("ada", "wombats"), "wombats here", "wombats there")
		s.requires(s.asks("ada", "wombats", func(q *recall.Query) { q.Exclude = []chat.MessageID{m.ID} }), "wombats there")
	})
}

func TestHostileQuestionsAreWords(t *testing.T) {
	onServer(t, func(t *testing.T, s *server) {
		s.say("bob", "#ops", "The café opens at nine, says O'Brien.")
		s.say("bob", "#ops", "東京の天気は晴れです")
		s.say("bob", "#ops", "Сервер перезагружен утром.")
		for _, q := range []string{`" OR 1`, `cafe*`, `NEAR(cafe opens)`, `text:cafe`, `(cafe`, `CAFÉ'); DROP TABLE recall; --`} {
			if got := s.asks("ada", q); q != `" OR 1` && len(got) != 1 {
				t.Errorf("%q finds %q", q, got)
			}
		}
		s.requires(s.asks("ada", "天気"), "東京の天気は晴れです")
		s.requires(s.asks("ada", "когда перезагружен сервер?"), "Сервер перезагружен утром.")
		s.requires(s.asks("ada", "\x00\xff"))
	})
}

func TestLongMessagesAreSeveralRowsOfOneMessage(t *testing.T) {
	onServer(t, func(t *testing.T, s *server) {
		m := s.say("bob", "#ops", strings.Repeat("The first part is about wombats. ", 40)+"\n\n"+strings.Repeat("The second one is about echidnas. ", 18))
		if got := s.rows(); got != "2 0 0 2" {
			t.Errorf("rows: %s", got)
		}
		if got := s.asks("ada", "part about echidnas or wombats"); len(got) != 1 {
			t.Errorf("found %d hits", len(got))
		}
		s.must(s.DeleteAs("bob", m.ID))
		s.settle()
		if got := s.rows(); got != "0 0 0 0" {
			t.Errorf("rows are left: %s", got)
		}
	})
}

// TestAnAnswerGoesWithAnyOfItsMessages: people who delete one of them want it gone.
func TestAnAnswerGoesWithAnyOfItsMessages(t *testing.T) {
	onServer(t, func(t *testing.T, s *server) {
		at := chat.Place{Guild: s.GuildID(), Channel: s.ChannelID("#ops")}
		s.engine.Said(recall.Answer{At: at, Messages: []chat.MessageID{"11", "12", "13"}, Text: "Wombats dig.\n-# Done: read 3 messages", Asker: s.UserID("bob"), Outside: "a message by <@9>"})
		s.settle()
		s.requires(s.asks("ada", "wombats"), "Wombats dig.")
		at.Message = "12"
		s.engine.Deleted(at)
		s.settle()
		if got := s.rows(); got != "0 0 0 0" {
			t.Errorf("rows are left: %s", got)
		}
	})
}

func TestAPersonCanBeExportedAndErased(t *testing.T) {
	onServer(t, func(t *testing.T, s *server) {
		s.say("bob", "#ops", "Bob on wombats.")
		s.say("ada", "#ops", "Ada on wombats.")
		at := chat.Place{Guild: s.GuildID(), Channel: s.ChannelID("#ops")}
		s.engine.Said(recall.Answer{At: at, Messages: []chat.MessageID{"11"}, Text: "The bot on wombats, to Bob.", Asker: s.UserID("bob")})
		s.settle()
		s.MustSay("bob", "#ops", "Bob again on wombats.")
		synctest.Wait() // it waits to be written
		all, err := s.db.Export(t.Context(), string(s.UserID("bob")))
		s.must(err)
		if got := all["recall"]; len(got) != 2 || got[0]["text"] != "Bob on wombats." || got[1]["message"] != "11" {
			t.Errorf("exported %+v", all)
		}
		s.engine.Forget(s.UserID("bob"))
		n, err := s.db.Erase(t.Context(), string(s.UserID("bob")))
		s.must(err)
		if n != 2 {
			t.Errorf("%d rows erased", n)
		}
		s.settle()
		s.requires(s.asks("ada", "wombats"), "Ada on wombats.")
	})
}

// lookUps counts the messages that were fetched.
func (s *server) lookUps() (n int) {
	for _, r := range s.Requests() {
		if r.Method == "GET" && strings.Contains(r.Path, "/messages/") {
			n++
		}
	}
	return n
}

// TestWhatWasNotSeenSinceAGapIsLookedUp: at most five messages for a question.
func TestWhatWasNotSeenSinceAGapIsLookedUp(t *testing.T) {
	onServer(t, func(t *testing.T, s *server) {
		for i := range 8 {
			s.say("bob", "#ops", fmt.Sprint("wombat ", i))
		}
		for _, step := range []struct {
			name           string
			missed         chat.GuildID
			found, lookUps int
		}{
			{"without a gap", "1", 8, 0},
			{"after a gap", s.GuildID(), 5, 5},
			{"when five are known again", "1", 8, 8},
			{"after a gap elsewhere", "1", 8, 8},
		} {
			s.engine.Missed(step.missed)
			if got := s.asks("ada", "wombat"); len(got) != step.found || s.lookUps() != step.lookUps {
				t.Errorf("%s: %d found with %d look-ups, want %d with %d", step.name, len(got), s.lookUps(), step.found, step.lookUps)
			}
			s.settle()
		}
	})
}

// TestALookUpSeesWhatWasMissed: what was deleted, edited, or made a secret.
func TestALookUpSeesWhatWasMissed(t *testing.T) {
	onServer(t, func(t *testing.T, s *server) {
		gone := s.say("bob", "#ops", "wombat gone")
		edited := s.say("bob", "#ops", "wombat on Monday")
		secret := s.say("bob", "#ops", "wombat of mine")
		s.away.Store(true)
		s.must(s.DeleteAs("bob", gone.ID))
		s.must(s.EditAs("bob", edited.ID, "wombat on Friday"))
		s.must(s.EditAs("bob", secret.ID, "!secret set OPENAI_API_KEY=wombat"))
		s.settle()
		s.engine.Missed("")
		s.requires(s.asks("ada", "wombat"), "wombat on Friday")
		s.settle()
		if got := s.rows(); got != "1 0 0 1" {
			t.Errorf("rows: %s", got)
		}
		s.requires(s.asks("ada", "Friday"), "wombat on Friday")
	})
}

// TestAGapBeforeTheWriteCounts: what was heard before it may be gone, though it is written after it.
func TestAGapBeforeTheWriteCounts(t *testing.T) {
	onServer(t, func(t *testing.T, s *server) {
		s.say("bob", "#ops", "something else")
		m := s.MustSay("bob", "#ops", "wombat gone")
		synctest.Wait() // heard, and not written
		s.away.Store(true)
		s.must(s.DeleteAs("bob", m.ID))
		s.engine.Missed("")
		s.settle()
		s.requires(s.asks("ada", "wombat"))
	})
}

// TestAnEarlierProcessHasSeenNothing: its successor cannot know what happened in between.
func TestAnEarlierProcessHasSeenNothing(t *testing.T) {
	onServer(t, func(t *testing.T, s *server) {
		m := s.say("bob", "#ops", "wombat gone")
		s.away.Store(true)
		s.must(s.DeleteAs("bob", m.ID))
		s.settle()
		s.requires(s.asks("ada", "wombat"), "wombat gone") // as if it were there
		s.engine = recall.New(s.engine.Options)
		s.requires(s.asks("ada", "wombat"))
	})
}
