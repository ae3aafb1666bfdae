package tasks_test

import (
	"context"
	"errors"
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
	"discoclaw/internal/delivery/outbox"
	"discoclaw/internal/discord"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/store"
	"discoclaw/internal/tasks"
)

const world = `guild disco: #general tasks:forum
member ada: owner
member bob
member eve
bot DiscoClaw: Administrator
tag open in tasks
tag in_progress in tasks
tag blocked in tasks
tag closed in tasks
tag bug in tasks
tag docs in tasks
tag chore in tasks`

// A board is an engine with the real client on the fake Discord, whose process can be stopped and started.
type board struct {
	*discordtest.World
	*tasks.Engine
	t    testing.TB
	dir  string
	db   *store.DB
	bot  *discord.Client
	stop func()

	barred  atomic.Bool // bob is not served any more
	busy    atomic.Bool
	mention atomic.Bool
	guilds  func() []chat.GuildID // those of the client, unless a test says otherwise
	suggest func(context.Context, tasks.Task, []string) ([]string, error)
}

// onBoard runs a test in its own time, with a process that runs.
func onBoard(t *testing.T, test func(t *testing.T, b *board)) {
	t.Helper()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		b := newBoard(t, dir, world)
		b.start()
		test(t, b)
		b.stop()
	})
}

func bubble(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, test)
}

func newBoard(t testing.TB, dir, layout string) *board {
	b := &board{World: discordtest.New(t, layout), t: t, dir: dir}
	b.mention.Store(true)
	return b
}

// start begins a process.
func (b *board) start() {
	b.t.Helper()
	db, err := store.Open(b.t.Context(), filepath.Join(b.dir, store.FileName))
	if err != nil {
		b.t.Fatal(err)
	}
	log := slog.New(slog.NewTextHandler(b.t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	b.db, b.bot = db, discord.New(discord.Options{Token: b.Token(), APIURL: b.APIURL(), HTTP: b.HTTP()})
	b.Engine = tasks.New(db, tasks.Options{
		Server: b.bot, Outbox: outbox.New(db, b.bot, log), TagMap: filepath.Join(b.dir, "tag-map.json"), Log: log,
		Guilds: func() []chat.GuildID { return b.guilds() },
		Allowed: func(who chat.UserID, _ chat.Place) bool {
			return who != b.UserID("eve") && !(b.barred.Load() && who == b.UserID("bob"))
		},
		MayMention: func(context.Context, tasks.Task) (bool, error) { return b.mention.Load(), nil },
	})
	if b.guilds == nil {
		b.guilds = func() []chat.GuildID { return b.bot.Servers() }
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(b.t.Context()))
	ready, over, left := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() { left <- b.bot.Run(ctx, ear{engine: b.Engine, ready: ready}) }()
	<-ready
	go func() {
		defer close(over)
		b.Engine.Run(ctx, tasks.Live{Busy: func(chat.ChannelID) bool { return b.busy.Load() }, Suggest: b.suggest})
	}()
	b.stop = func() {
		cancel()
		<-over
		if err := <-left; err != nil {
			b.t.Error(err)
		}
		b.bot.Close()
		if err := db.Close(); err != nil {
			b.t.Error(err)
		}
	}
	synctest.Wait()
}

// offline changes the database while no process runs.
func (b *board) offline(do func(e *tasks.Engine, db *store.DB) error) {
	b.t.Helper()
	db, err := store.Open(b.t.Context(), filepath.Join(b.dir, store.FileName))
	b.must(err)
	b.must(errors.Join(do(tasks.New(db, tasks.Options{}), db), db.Close()))
}

// An ear passes the events of threads to an engine.
type ear struct {
	discordtest.Deaf
	engine *tasks.Engine
	ready  chan struct{}
}

func (e ear) Ready(chat.User)                                 { close(e.ready) }
func (e ear) ThreadCreated(_ context.Context, t chat.Channel) { e.engine.ThreadChanged(t.Place()) }
func (e ear) ThreadChanged(t chat.Channel)                    { e.engine.ThreadChanged(t.Place()) }
func (e ear) ChannelDeleted(at chat.Place)                    { e.engine.ThreadChanged(at) }
func (e ear) Edited(_ context.Context, m chat.Message)        { e.engine.MessageEdited(m) }

// restart ends the process and begins another.
func (b *board) restart() {
	b.t.Helper()
	b.stop()
	b.start()
}

// pass lets time go by.
func (b *board) pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// soon lets the engine follow what has happened.
func (b *board) soon() { b.pass(10 * time.Second) }

func (b *board) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// make adds a task, and lets its post follow.
func (b *board) make(task tasks.Task) tasks.Task {
	b.t.Helper()
	task.Guild = b.GuildID()
	made, err := b.Create(b.t.Context(), task)
	b.must(err)
	b.soon()
	return b.get(made.ID)
}

func (b *board) get(id string) tasks.Task {
	b.t.Helper()
	got, err := b.Get(b.t.Context(), b.GuildID(), id)
	b.must(err)
	return got
}

// update changes a task, and lets its post follow.
func (b *board) update(id string, c tasks.Change) {
	b.t.Helper()
	_, _, err := b.Update(b.t.Context(), b.GuildID(), id, c)
	b.must(err)
	b.soon()
}

func (b *board) close(id, reason string) {
	b.t.Helper()
	_, _, err := b.Close(b.t.Context(), b.GuildID(), id, reason, b.UserID("ada"), "")
	b.must(err)
	b.soon()
}

// posts are the threads of the forum.
func (b *board) posts() []fakediscord.Channel {
	forum := b.ChannelID("tasks")
	return slices.DeleteFunc(b.Channels(), func(c fakediscord.Channel) bool { return c.Parent != forum })
}

// tag is the ID of a tag of the forum, tags those of several, sorted.
func (b *board) tag(name string) string {
	b.t.Helper()
	forum, _ := b.Channel("tasks")
	i := slices.IndexFunc(forum.Tags, func(t fakediscord.Tag) bool { return t.Name == name })
	if i < 0 {
		b.t.Fatalf("there is no tag %s", name)
	}
	return forum.Tags[i].ID
}

// tagNames are the names of a post's tags, sorted.
func (b *board) tagNames(c fakediscord.Channel) []string {
	forum, _ := b.Channel("tasks")
	var names []string
	for _, id := range c.AppliedTags {
		for _, t := range forum.Tags {
			if t.ID == id {
				names = append(names, t.Name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// shown describes the posts of the forum, a line each.
func (b *board) shown() string {
	var lines []string
	for _, c := range b.posts() {
		line := fmt.Sprintf("%s (%s)", c.Name, strings.Join(b.tagNames(c), " "))
		if c.Archived {
			line += " archived"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func (b *board) requireShown(want string) {
	b.t.Helper()
	if got := b.shown(); got != want {
		b.t.Errorf("the forum has\n%s\nwant\n%s", got, want)
	}
}

// said are the texts in a post that its first message is not among, without Discord's own.
func (b *board) said(thread chat.ChannelID) []string {
	var texts []string
	for _, m := range b.Messages(string(thread)) {
		if string(m.ID) != string(thread) && m.Type == fakediscord.DefaultMessage {
			texts = append(texts, m.Content)
		}
	}
	return texts
}

// starter is the first message of a post.
func (b *board) starter(thread chat.ChannelID) fakediscord.Message {
	m, _ := b.Message(chat.MessageID(thread))
	return m
}
