package app

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"time"

	"discoclaw/internal/config"
	"discoclaw/internal/discord"
	"discoclaw/internal/discord/gateway"
	"discoclaw/internal/disk/datadir"
)

// ErrRestart is why Run ends when somebody has asked for a restart: everything is put
// away, and whoever called Run should begin anew, settings included.
var ErrRestart = errors.New("the bot is to be started again")

// Run logs in and serves until ctx ends, which is no error.
func (b *Bot) Run(ctx context.Context) (err error) {
	dir, err := b.core.openData()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	if err := b.openStore(ctx); err != nil {
		return &config.Error{Problems: []string{err.Error()}}
	}
	defer func() { err = errors.Join(err, b.core.db.Close()) }()
	if b.core.db.IsTight() {
		b.disk.look(ctx) // now, while there is some room, and before there is anything to write down
	}
	b.begin(ctx)
	stop := b.watch(ctx)
	err = b.serve(ctx)
	stop()
	b.leave(context.WithoutCancel(ctx), err == nil)
	if err == nil && b.process.asked.Load() && ctx.Err() == nil { // who stops the bot has the last word
		return ErrRestart
	}
	return asMistake(err)
}

// What may take how long in the end. A request that has left is waited for a little
// longer, so each may take two seconds more. Together with hanging up it is less than
// the 15 seconds after which somebody would lose patience.
const (
	farewell  = 3 * time.Second // running replies, to say that the bot goes down
	asideTime = time.Second     // what nobody waits for, meanwhile
	lastPost  = 2 * time.Second // what operators are told
	straggle  = time.Second     // what did not end in time, once it can do no harm
)

// leave ends what runs, in an order in which everything can still say its last word.
// Willing says that the bot was told to end.
func (b *Bot) leave(ctx context.Context, willing bool) {
	if willing && b.process.online.Load() {
		// First of all, since it may be killed if it takes long.
		within(ctx, noteTime, func(ctx context.Context) {
			if err := b.process.store.Stopped(ctx); err != nil {
				b.core.log.ErrorContext(ctx, "the end was not written down", "err", err)
			}
		})
		b.board.Report(ctx, b.goodbye())
	}
	close(b.threads.ended)
	b.sayGoodbye(ctx)
	within(ctx, lastPost, func(ctx context.Context) { _ = b.board.Close(ctx) })
	b.core.discord.Close()
	within(ctx, straggle, func(ctx context.Context) { _ = b.flows.Close(ctx) })
	if err := b.inbox.Save(ctx); err != nil {
		b.core.log.ErrorContext(ctx, "inbox not written", "err", err)
	}
}

// sayGoodbye ends what people see, all at the same time: where Discord does not answer,
// each of them takes all the time that it has.
func (b *Bot) sayGoodbye(ctx context.Context) {
	ending := func(what interface{ Close(context.Context) error }) func() {
		return func() {
			within(ctx, farewell, func(ctx context.Context) {
				if err := what.Close(ctx); err != nil {
					b.core.log.WarnContext(ctx, "some replies could not be ended in time", "err", err)
				}
			})
		}
	}
	var wg sync.WaitGroup
	wg.Go(ending(b.flows))
	wg.Go(ending(b.approvals))
	// What does not end in time is ended, which is no news.
	wg.Go(func() { within(ctx, asideTime, func(ctx context.Context) { _ = b.bg.Close(ctx) }) })
	wg.Wait()
}

// within gives something its time.
func within(ctx context.Context, limit time.Duration, f func(context.Context)) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	f(ctx)
}

// goodbye is what operators are told in the end.
func (b *Bot) goodbye() string {
	if b.process.asked.Load() {
		return "**Going offline** for a restart."
	}
	return "**Going offline.**"
}

// hangUpTime is how long leaving the voice channels may take.
const hangUpTime = 2 * time.Second

// serve is on Discord until ctx ends. The bot leaves its voice channels while it is
// still connected, so that nobody sees it linger there.
func (b *Bot) serve(ctx context.Context) error {
	online, hangUp := context.WithCancel(context.WithoutCancel(ctx))
	defer hangUp()
	over := make(chan error, 1)
	go func() { over <- b.core.discord.Run(online, handler{b.flows, b}) }()
	select {
	case <-ctx.Done():
	case <-b.process.restart:
	case err := <-over: // by itself, with nobody to say goodbye to
		over <- err
	}
	leave, cancel := context.WithTimeout(online, hangUpTime)
	defer cancel()
	b.core.voice.LeaveAll(leave)
	hangUp()
	return <-over
}

// watch does what is due by the clock, until it is told to stop.
func (b *Bot) watch(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() { b.approvals.Run(ctx) })
	wg.Go(func() { b.prune(ctx) })
	wg.Go(func() { b.runDeferred(ctx) })
	wg.Go(func() { b.runReminders(ctx) })
	wg.Go(func() { b.keepHouse(ctx) })
	wg.Go(func() {
		b.inbox.Run(ctx, func(err error) { b.core.log.ErrorContext(ctx, "inbox not written", "err", err) })
	})
	return func() {
		cancel()
		wg.Wait()
	}
}

// loginTimeout is how long housekeeping waits for the first login.
const loginTimeout = 10 * time.Second

// keepHouse sets room aside for a full disk and copies the database. Both write megabytes, so
// they wait until the bot has logged in, or cannot.
func (b *Bot) keepHouse(ctx context.Context) {
	select {
	case <-ctx.Done():
		return
	case <-b.loggedIn:
	case <-time.After(loginTimeout):
	}
	b.disk.look(ctx) // first: while the copy is made, the log cannot be emptied
	var wg sync.WaitGroup
	wg.Go(func() { b.disk.watch(ctx) })
	wg.Go(func() { b.keepCopies(ctx) })
	wg.Wait()
}

// pruneEvery is how often the database is pruned.
const pruneEvery = 24 * time.Hour

// prune deletes what is older than its retention, now and once a day.
func (b *Bot) prune(ctx context.Context) {
	for {
		if err := b.core.db.Prune(ctx); err != nil && ctx.Err() == nil {
			b.core.log.ErrorContext(ctx, "prune the database", "err", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pruneEvery):
		}
	}
}

// asMistake tells what an operator has to mend from what may pass by itself: a
// refused token or intent will be refused again.
func asMistake(err error) error {
	var refused *discord.Error
	var closed *gateway.CloseError
	if errors.As(err, &refused) && refused.Permanent() || errors.As(err, &closed) && (closed.Code == badToken || closed.Code == deniedIntents) {
		return &config.Error{Problems: []string{err.Error()}}
	}
	return err
}

// Close codes of the gateway that an operator can mend.
const (
	badToken      = 4004
	deniedIntents = 4014
)

// openData takes the data directory, makes the folders that files may be sent from,
// and the files that people will want to fill.
func (c *Core) openData() (*datadir.Dir, error) {
	dir, err := datadir.Open(c.dataDir)
	if err != nil {
		return nil, &config.Error{Problems: []string{err.Error()}}
	}
	for _, name := range []string{workFolder, sendFolder} {
		if _, err := dir.Sub(name); err != nil {
			return nil, errors.Join(&config.Error{Problems: []string{err.Error()}}, dir.Close())
		}
	}
	if err := c.workspace.Scaffold(); err != nil {
		return nil, errors.Join(&config.Error{Problems: []string{err.Error()}}, dir.Close())
	}
	return dir, nil
}

const (
	workFolder = "workspace" // where the model works
	sendFolder = "outbox"    // where other programs put files to be sent
)

// folders are those that files may be sent from.
func (c *Core) folders() []string {
	return []string{c.workFolder(), filepath.Join(c.dataDir, sendFolder)}
}
