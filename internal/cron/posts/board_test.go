package posts_test

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/choices"
	"discoclaw/internal/cron"
	"discoclaw/internal/cron/posts"
	"discoclaw/internal/delivery/inbox"
	"discoclaw/internal/delivery/outbox"
	"discoclaw/internal/discord"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/store"
)

const world = `guild disco: #general #news crons:forum
member ada: owner
member bob
member eve
bot DiscoClaw: Administrator
tag daily in crons
tag hourly in crons
tag weekly in crons
tag report in crons
tag monitor in crons`

// A board is an engine with the real client on the fake Discord, whose process can be stopped and started. A model that reads posts takes the
// words of a text for a schedule. Jobs are made as they are asked for.
type board struct {
	*discordtest.World
	*posts.Engine
	t       testing.TB
	dir     string
	jobs    *cron.Engine
	choices *choices.Store
	stop    func()
	busy    atomic.Bool
	read    atomic.Int64 // texts that the model was asked to read
}

// onBoard runs a test in its own time, with a process that runs.
func onBoard(t *testing.T, test func(t *testing.T, b *board)) {
	t.Helper()
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		b := newBoard(t, dir)
		b.start()
		test(t, b)
		b.stop()
	})
}

func newBoard(t testing.TB, dir string) *board {
	return &board{World: discordtest.New(t, world), t: t, dir: dir}
}

// start begins a process.
func (b *board) start() {
	b.t.Helper()
	db, err := store.Open(b.t.Context(), filepath.Join(b.dir, store.FileName))
	b.must(err)
	log := slog.New(slog.NewTextHandler(b.t.Output(), &slog.HandlerOptions{Level: slog.LevelError}))
	bot := discord.New(discord.Options{Token: b.Token(), APIURL: b.APIURL(), HTTP: b.HTTP()})
	b.jobs = cron.New(db, cron.Options{Zone: time.UTC, Running: inbox.New(db).HasUnfinished, Log: log})
	b.choices = choices.NewStore(db)
	b.Engine = posts.New(db, posts.Options{
		Server: bot, Outbox: outbox.New(db, bot, log), Choices: b.choices, Jobs: b.jobs, TagMap: filepath.Join(b.dir, "tag-map.json"), Log: log,
		Guilds:  bot.Servers,
		Allowed: func(who chat.UserID, _ chat.Place) bool { return who != b.UserID("eve") },
	})
	ctx, cancel := context.WithCancel(context.WithoutCancel(b.t.Context()))
	ready, over, left := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() { left <- bot.Run(ctx, ear{engine: b.Engine, ready: ready}) }()
	<-ready
	go func() {
		defer close(over)
		b.Run(ctx, posts.Live{Busy: func(chat.ChannelID) bool { return b.busy.Load() }, Read: b.readText, Apply: b.apply})
	}()
	b.stop = func() {
		cancel()
		<-over
		if err := <-left; err != nil {
			b.t.Error(err)
		}
		bot.Close()
		b.must(db.Close())
	}
	synctest.Wait()
}

// open opens the database while no process runs, as one that knows the engine does.
func (b *board) open(do func(*store.DB)) {
	b.t.Helper()
	db, err := store.Open(b.t.Context(), filepath.Join(b.dir, store.FileName))
	b.must(err)
	posts.New(db, posts.Options{Jobs: cron.New(db, cron.Options{})})
	do(db)
	b.must(db.Close())
}

// readText is a model that takes a text for a schedule, and fails if it has none.
func (b *board) readText(_ context.Context, _ chat.UserID, text string, before *posts.Said) (posts.Said, error) {
	b.read.Add(1)
	if text == "mumble" {
		return posts.Said{}, errors.New("no object")
	}
	said := posts.Said{Schedule: text, Prompt: "Do it."}
	if before != nil {
		said.Prompt = "" // it has lost it
	}
	return said, nil
}

func (b *board) apply(ctx context.Context, o posts.Order) (string, error, error) {
	if o.Job != "" {
		_, _, err := b.jobs.Update(ctx, o.At.Guild, o.Job, func(j *cron.Job) error {
			for _, change := range []struct {
				field *string
				value string
			}{{&j.Schedule, o.Schedule}, {&j.Zone, o.Zone}, {&j.Prompt, o.Prompt}} {
				if change.value != "" {
					*change.field = change.value
				}
			}
			return nil
		})
		return o.Job, nil, err
	}
	j, err := b.jobs.Create(ctx, cron.Job{Guild: o.At.Guild, Author: o.By, Dedupe: o.Request, Definition: cron.Definition{
		Name: o.Name, Schedule: o.Schedule, Zone: o.Zone, Channel: chat.ChannelID(o.Channel), Prompt: o.Prompt}})
	return j.ID, nil, err
}

// An ear passes the events of threads to an engine.
type ear struct {
	discordtest.Deaf
	engine *posts.Engine
	ready  chan struct{}
}

func (e ear) Ready(chat.User)                                 { close(e.ready) }
func (e ear) ThreadCreated(_ context.Context, t chat.Channel) { e.engine.ThreadChanged(t.Place()) }
func (e ear) ThreadChanged(t chat.Channel)                    { e.engine.ThreadChanged(t.Place()) }
func (e ear) ChannelDeleted(at chat.Place)                    { e.engine.ThreadChanged(at) }
func (e ear) Edited(_ context.Context, m chat.Message)        { e.engine.MessageEdited(m) }

func (b *board) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// pass lets time go by.
func (b *board) pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// soon lets the engine follow what has happened.
func (b *board) soon() { b.pass(10 * time.Second) }

// make adds a job of the channel general.
func (b *board) make(name, schedule string) cron.Job {
	b.t.Helper()
	j, err := b.jobs.Create(b.t.Context(), cron.Job{Guild: b.GuildID(), Author: b.UserID("ada"), Definition: cron.Definition{
		Name: name, Schedule: schedule, Channel: b.ChannelID("general"), Prompt: "Look at " + name + "."}})
	b.must(err)
	return j
}

// list are the jobs.
func (b *board) list() []cron.Job {
	b.t.Helper()
	list, err := b.jobs.List(b.t.Context(), b.GuildID())
	b.must(err)
	return list
}

// waiting are the questions that wait for their person.
func (b *board) waiting() []choices.Question {
	b.t.Helper()
	list, err := b.choices.Waiting(b.t.Context())
	b.must(err)
	return list
}

// confirm answers a question as its person.
func (b *board) confirm(q choices.Question) {
	b.t.Helper()
	b.must(b.Answered(b.t.Context(), q))
	_, err := b.choices.Resolve(b.t.Context(), q.Message)
	b.must(err)
}

// posts are the threads of the forum.
func (b *board) posts() []fakediscord.Channel {
	forum := b.ChannelID("crons")
	return slices.DeleteFunc(b.Channels(), func(c fakediscord.Channel) bool { return c.Parent != forum })
}
