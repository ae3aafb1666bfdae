package app

import (
	"context"
	"errors"
	"net"
	"path/filepath"
	"sync"
	"time"

	"discoclaw/internal/config"
	"discoclaw/internal/discord"
	"discoclaw/internal/discord/gateway"
	"discoclaw/internal/disk/datadir"
	"discoclaw/internal/doctor"
	"discoclaw/internal/inspect"
	"discoclaw/internal/llm/roles"
	"discoclaw/internal/startup"
	"discoclaw/internal/status"
)

// ErrRestart is the error of Run after a restart was requested. Everything is closed, and the
// caller should start again from the settings on.
var ErrRestart = errors.New("the bot is to be started again")

// Run logs in and serves until ctx ends, which is no error.
func (b *Bot) Run(ctx context.Context) (err error) {
	dir, err := b.core.openData()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	err = b.openStore(ctx)
	if err == nil {
		defer func() { err = errors.Join(err, b.core.db.Close()) }()
	}
	switch {
	case ctx.Err() != nil: // it was stopped during the start, which is no fault
		b.core.logStop(ctx)
		return nil
	case err != nil:
		return &config.Error{Problems: []string{err.Error()}}
	}
	hooks, err := b.core.listen(b.out.openPort)
	if err != nil {
		return &config.Error{Problems: []string{err.Error()}}
	}
	clients, err := b.core.mcpSettings().Open(b.out.openPort)
	if err != nil {
		if hooks != nil {
			_ = hooks.Close() // no call has come in
		}
		return &config.Error{Problems: []string{err.Error()}}
	}
	if b.core.db.IsTight() {
		b.disk.look(ctx) // while some room is left, and before anything is written
	}
	b.begin(ctx)
	b.core.logStart(ctx)
	stop := b.watch(ctx, hooks, clients)
	err = b.serve(ctx)
	stop()
	restarts := func() bool { return b.process.Asked() && ctx.Err() == nil } // a stop takes precedence over a restart
	b.leave(context.WithoutCancel(ctx), err == nil, restarts())
	if err == nil && restarts() {
		return ErrRestart
	}
	return asMistake(err)
}

// logStart logs what operators ask first if the bot does not behave as expected.
func (c *Core) logStart(ctx context.Context) {
	what := []any{"version", inspect.VersionText(), "model", c.runtimes.Describe(c.models.Resolved(roles.Chat))}
	if c.settingsFile != "" {
		what = append(what, "settings", doctor.SettingsSource(c.settingsFile))
	}
	c.log.InfoContext(ctx, "starting", what...)
}

// logStop logs what ended the bot, such as a signal.
func (c *Core) logStop(ctx context.Context) {
	c.log.InfoContext(ctx, "stopping", "reason", context.Cause(ctx))
}

// Timeouts of the shutdown. A request that is on its way is waited for a little longer, so each
// step may take two seconds more. Together with hangUpTime that is less than the 15 seconds after
// which the program ends anyway.
const (
	farewell  = 3 * time.Second // running replies, which say that the bot goes offline
	asideTime = time.Second     // background goroutines, at the same time
	lastPost  = 2 * time.Second // the last post to the status channel
	straggle  = time.Second     // replies that did not end in time, once they cannot post any more
)

// leave shuts everything down, in an order in which each part can still post its last message.
// Willing means that the bot was told to end, and restarts that it is started again at once.
func (b *Bot) leave(ctx context.Context, willing, restarts bool) {
	if willing && b.process.WasOnline() {
		b.process.NoteStopped(ctx) // first, since the process may be killed if the rest takes long
		b.board.Report(ctx, status.News, goodbye(restarts))
	}
	close(b.threads.ended)
	b.sayGoodbye(ctx)
	// After the turns, which may still end in some phase.
	within(ctx, asideTime, func(ctx context.Context) { _ = b.core.progress.Close(ctx) })
	within(ctx, lastPost, func(ctx context.Context) { _ = b.board.Close(ctx) })
	b.core.discord.Close()
	within(ctx, straggle, func(ctx context.Context) { _ = b.flows.Close(ctx) })
	within(ctx, asideTime, b.core.runtimes.Close)
	if err := b.inbox.Save(ctx); err != nil {
		b.core.log.ErrorContext(ctx, "inbox not written", "err", err)
	}
	within(ctx, startup.NoteTime, func(ctx context.Context) {
		if err := b.core.recall.Flush(ctx); err != nil {
			b.core.log.WarnContext(ctx, "old talk not written", "err", err)
		}
	})
}

// sayGoodbye closes everything that people see, concurrently: while Discord does not respond, each
// part takes all of its timeout.
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
	// Goroutines that do not end in time are cancelled, which is expected.
	wg.Go(func() { within(ctx, asideTime, func(ctx context.Context) { _ = b.bg.Close(ctx) }) })
	wg.Wait()
}

// within calls f with a timeout.
func within(ctx context.Context, limit time.Duration, f func(context.Context)) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	f(ctx)
}

// goodbye returns the last post to the status channel.
func goodbye(restarts bool) string {
	if restarts {
		return "**Going offline** for a restart."
	}
	return "**Going offline.**"
}

// hangUpTime is the timeout of leaving the voice channels.
const hangUpTime = 2 * time.Second

// serve stays connected to Discord until ctx ends or a restart is requested. The bot leaves its
// voice channels while it is still connected, or people would still see it in them.
func (b *Bot) serve(ctx context.Context) error {
	online, hangUp := context.WithCancel(context.WithoutCancel(ctx))
	defer hangUp()
	over := make(chan error, 1)
	go func() { over <- b.core.discord.Run(online, handler{b.flows, b}) }()
	select {
	case <-ctx.Done():
		b.core.logStop(ctx)
	case <-b.process.Restarts():
	case err := <-over: // the connection ended by itself
		over <- err
	}
	leave, cancel := context.WithTimeout(online, hangUpTime)
	defer cancel()
	b.core.voice.LeaveAll(leave)
	hangUp()
	return <-over
}

// watch starts the periodic work, and takes calls of webhooks and of MCP clients, unless their listeners are nil. Stop ends it and waits
// for that.
func (b *Bot) watch(ctx context.Context, hooks, clients net.Listener) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	online := func(run func()) {
		wg.Go(func() {
			select {
			case <-ctx.Done():
			case <-b.loggedIn:
				run()
			}
		})
	}
	for _, p := range b.core.parts {
		if p.start != nil {
			wg.Go(func() { p.start(ctx, b) })
		}
		if p.run != nil {
			online(func() { p.run(ctx, b) })
		}
	}
	wg.Go(func() { b.prune(ctx) })
	wg.Go(func() { b.ignoreHangUps(ctx) })
	if hooks != nil {
		wg.Go(func() { b.serveWebhooks(ctx, hooks) })
	}
	if clients != nil {
		wg.Go(func() { b.mcp.Serve(ctx, clients) })
	}
	wg.Go(func() { b.keepHouse(ctx) })
	wg.Go(func() {
		b.inbox.Run(ctx, func(err error) { b.core.log.ErrorContext(ctx, "inbox not written", "err", err) })
	})
	return func() {
		cancel()
		wg.Wait()
	}
}

func (b *Bot) ignoreHangUps(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-b.out.HangUps:
			b.core.log.WarnContext(ctx, "SIGHUP ignored: the bot has no terminal that could have been closed; SIGTERM ends it, and !restart reads the settings again")
		}
	}
}

// loginTimeout is how long housekeeping waits for the first login.
const loginTimeout = 10 * time.Second

// keepHouse reserves room on the disk and copies the database. Both write megabytes, so they start
// only after the login, or when that takes too long.
func (b *Bot) keepHouse(ctx context.Context) {
	select {
	case <-ctx.Done():
		return
	case <-b.loggedIn:
	case <-time.After(loginTimeout):
	}
	b.disk.look(ctx) // first: the WAL cannot be checkpointed while the database is copied
	var wg sync.WaitGroup
	wg.Go(func() { b.disk.watch(ctx) })
	wg.Go(func() { b.keepCopies(ctx) })
	wg.Wait()
}

// pruneEvery is how often the database is pruned.
const pruneEvery = 24 * time.Hour

// prune deletes rows that are past their retention, now and once a day.
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

// asMistake turns an error that the operator has to fix into a *config.Error: a refused token or
// intent would be refused again. Other errors may be temporary.
func asMistake(err error) error {
	var refused *discord.Error
	var closed *gateway.CloseError
	if errors.As(err, &refused) && (refused.Permanent() || refused.TokenRefused()) ||
		errors.As(err, &closed) && (closed.Code == badToken || closed.Code == deniedIntents) {
		return &config.Error{Problems: []string{err.Error()}}
	}
	return err
}

// Close codes of the gateway for mistakes that an operator can fix.
const (
	badToken      = 4004
	deniedIntents = 4014
)

// openData locks the data directory, and creates the folders that files may be sent from and the
// files that people may want to fill in.
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

// folders returns the folders that files may be sent from.
func (c *Core) folders() []string {
	return []string{c.workFolder(), filepath.Join(c.dataDir, sendFolder)}
}
