// Package play is the playground: the real bot on a small Discord inside this
// process. It needs no account, no token and no key.
//
// [Serve] shows that Discord as a page in a browser, [Talk] as a conversation in a
// terminal. All code between a member's message and the answer is what runs on a
// real server: gateway, requests, gate, permissions. Only the Discord is a fake, and
// the model too, unless the settings name one.
package play

import (
	"cmp"
	"context"
	_ "embed" // the playground's server
	"errors"
	"io"
	"maps"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"discoclaw/internal/app"
	"discoclaw/internal/chat"
	"discoclaw/internal/config"
	"discoclaw/internal/disk/atomicfile"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/llm/nearby"
	"discoclaw/internal/llm/runtimes"
	"discoclaw/internal/memnet"
	"discoclaw/internal/play/standin"
	"discoclaw/internal/turn"
)

// harbour is the playground's server.
//
//go:embed harbour.layout
var harbour string

// usualPace is how long the script takes to type a word.
const usualPace = 15 * time.Millisecond

// stranger is a member who is not on the allow list, also in worlds that were saved before they said so.
const stranger = "zed"

// Options configure a playground.
type Options struct {
	Env      config.Env // settings; the playground replaces some of them
	Settings string     // the file that they were read from, which is kept from models; empty means none
	In       io.Reader  // the input of Talk
	Out      io.Writer
	Errs     io.Writer       // for warnings; nil means none
	Log      io.Writer       // nil means no log
	World    string          // the world's file; empty means a new world that is not saved
	Layout   string          // of a new world, as the package layout reads it; empty means the playground's own
	Data     string          // the bot's data directory; empty means one beside World, or a temporary one
	Demo     bool            // use the demo, even if the settings name a model
	Pace     time.Duration   // of the demo for each word; zero means a short one
	Address  string          // that Serve listens on; empty means one of its own choice
	Servers  []nearby.Server // where Serve looks for local models when it is asked to; nil means the usual places
	Ready    func(url string)
	Watch    func(*fakediscord.World) // gets the world before the bot connects; may be nil
}

// A playground is a Discord with the bot on it.
type playground struct {
	world    *fakediscord.World
	host     *host
	bot      atomic.Pointer[app.Bot] // replaced by a restart
	clock    *clock
	settings config.Env // that the playground began with
	botWith  func(env config.Env, demo bool) (*app.Bot, error)
	begins   []given     // what the bot has from the start; none in a world that was there before
	demo     atomic.Bool // a script speaks

	mu     sync.Mutex
	newBot func() (*app.Bot, error) // makes another bot, for a restart
	next   *app.Bot                 // takes the place of the one that runs, when that has ended; mostly nil
	end    context.CancelFunc       // ends the one that runs

	data   string        // to be removed by close; empty if it stays
	file   *worldFile    // nil if the world is not saved
	online chan struct{} // closed when the bot is connected and offers its slash command
}

// open builds a playground. Over gets a report of every turn.
func open(o Options, over func(turn.Report)) (*playground, error) {
	path, err := atomicfile.Target(o.World)
	if err != nil {
		return nil, config.Mistakef("%v; remove the link, or name another file", err)
	}
	text := cmp.Or(o.Layout, harbour)
	world, fresh, err := openWorld(path, text, o.Errs)
	if err != nil {
		return nil, err
	}
	if o.Watch != nil {
		o.Watch(world)
	}
	p := &playground{world: world, host: serve(world), clock: &clock{}, settings: o.Env, end: func() {}, online: make(chan struct{})}
	p.demo.Store(o.Demo || !runtimes.IsNamed(o.Env))
	if fresh {
		if p.begins, err = givenIn(text, p.clock.now(), p.demo.Load()); err != nil {
			return nil, errors.Join(config.Mistakef("%v", err), p.close())
		}
	}
	if path != "" {
		if p.file, err = keepWorld(world, path, o.Errs); err != nil {
			return nil, errors.Join(err, p.close())
		}
	}
	data := o.Data
	switch {
	case data == "" && path != "":
		data = dataBeside(path)
	case data == "":
		if data, err = os.MkdirTemp("", "discoclaw-play-"); err != nil {
			p.close()
			return nil, config.Mistakef("no folder can be made for the bot's data (%v); name one with --data, or set TMPDIR to a folder that can be written to", err)
		}
		p.data = data
	}
	online := p.whenReady(o.Env)
	out := app.Externals{
		HTTP:     p.host.client(),
		Log:      o.Log,
		Online:   func(chat.User) { online() },
		Answered: over,
		Now:      p.clock.now,
		Settings: o.Settings,
		ReadOnly: o.Settings != "",
	}
	p.botWith = func(env config.Env, demo bool) (*app.Bot, error) {
		with := out
		if demo {
			with.Runtime = standin.New(cmp.Or(o.Pace, usualPace))
		}
		return app.NewBot(p.env(env, data, demo), with)
	}
	p.newBot = func() (*app.Bot, error) { return p.botWith(o.Env, p.demo.Load()) }
	bot, err := p.newBot()
	if err != nil {
		return nil, errors.Join(err, p.close())
	}
	p.bot.Store(bot)
	return p, nil
}

// env replaces a real server's settings with the playground's own.
func (p *playground) env(given config.Env, data string, demo bool) config.Env {
	env := maps.Clone(given)
	if env == nil {
		env = config.Env{}
	}
	for _, name := range []string{"DISCORD_CHANNEL_IDS", "DISCORD_GUILD_ID", "DISCOCLAW_CONTENT_DIR", "DISCOCLAW_STATUS_CHANNEL"} {
		delete(env, name)
	}
	env["DISCORD_TOKEN"] = p.world.Token()
	env["DISCORD_API_URL"] = p.host.api()
	env[dataSetting] = data
	env["DISCOCLAW_RESPOND"] = "all"
	env["DISCOCLAW_OPERATOR_DMS"] = "0" // the log is in the same window
	if !env.Has("DISCOCLAW_USER_TURNS") {
		env["DISCOCLAW_USER_TURNS"] = "0" // people try the bot as fast as they like
	}
	if !env.Has("DISCOCLAW_SUMMARY_ENABLED") {
		env["DISCOCLAW_SUMMARY_ENABLED"] = "0" // the demonstration knows no summaries
	}
	env["DISCORD_ALLOW_USER_IDS"], env["DISCOCLAW_OPERATOR_USER_IDS"] = p.served()
	if demo {
		nameNoModel(env)
	}
	return env
}

// nameNoModel has a script where the bot names a model. Otherwise it would name those of a vendor that the
// demonstration never asks.
func nameNoModel(env config.Env) {
	maps.DeleteFunc(env, func(name, _ string) bool {
		return name == "PRIMARY_RUNTIME" || strings.HasSuffix(name, "_MODEL") || strings.HasPrefix(name, "DISCOCLAW_TIER_")
	})
	for _, role := range []string{"RUNTIME_MODEL", "DISCOCLAW_FAST_MODEL", "FORGE_DRAFTER_MODEL", "FORGE_AUDITOR_MODEL", "DISCOCLAW_PLAN_RUN_MODEL"} {
		env[role] = "script"
	}
}

// served are the IDs of the allowed users and of the operators.
func (p *playground) served() (users, operators string) {
	var all []string
	for _, m := range p.world.Members() {
		if m.Bot || isStranger(m) {
			continue
		}
		all = append(all, string(m.ID))
	}
	users = strings.Join(all, ",")
	if you, ok := p.world.Member("you"); ok {
		return users, string(you.ID)
	}
	return users, users // a world with other members
}

// strangers are the IDs of the members whom the bot does not serve.
func (p *playground) strangers() []chat.UserID {
	list := []chat.UserID{}
	for _, m := range p.world.Members() {
		if !m.Bot && isStranger(m) {
			list = append(list, m.ID)
		}
	}
	return list
}

// run runs f with the bot, and ends with either. All replies are final then.
func (p *playground) run(ctx context.Context, f func(ctx context.Context) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 1)
	go func() {
		ended <- p.serve(ctx)
		stop() // without the bot there are no answers
	}()
	err := f(ctx)
	stop()
	err = errors.Join(err, flagged(<-ended))
	if p.file != nil {
		err = errors.Join(err, p.file.save(p.world)) // if it failed before, this is the last chance
	}
	return err
}

// flagged names the flag in the remedy of an unusable data directory. The setting that the bot's own
// sentence names has no effect here.
func flagged(err error) error {
	if err == nil || !strings.Contains(err.Error(), dataSetting) {
		return err
	}
	return config.Mistakef("%s", strings.ReplaceAll(err.Error(), dataSetting, "--data"))
}

// dataSetting is the bot's setting for which the playground has a flag.
const dataSetting = "DISCOCLAW_DATA_DIR"

// serve runs the bot, and again after each restart.
func (p *playground) serve(ctx context.Context) error {
	bot := p.bot.Load()
	for {
		life, end := context.WithCancel(ctx)
		p.mu.Lock()
		p.end = end
		p.mu.Unlock()
		err := bot.Run(life)
		end()
		p.mu.Lock()
		next, again := p.next, p.newBot
		p.next = nil
		p.mu.Unlock()
		switch {
		case next != nil && ctx.Err() == nil:
			bot = next
			continue
		case !errors.Is(err, app.ErrRestart):
			return err
		}
		if bot, err = again(); err != nil {
			return err
		}
		p.bot.Store(bot)
	}
}

// close removes temporary files.
func (p *playground) close() error {
	p.host.close()
	if p.data == "" {
		return nil
	}
	return os.RemoveAll(p.data)
}

// A host serves a world to the bot, in memory.
type host struct {
	world    *fakediscord.World
	listener *memnet.Listener
	server   *http.Server
	done     chan struct{}
}

// address is never resolved: the listener is in memory. Its host is loopback, to which plain
// http is allowed.
const address = "http://localhost"

func serve(world *fakediscord.World) *host {
	world.SetURL(address)
	h := &host{world: world, listener: memnet.New(), server: &http.Server{Handler: world.Handler()}, done: make(chan struct{})}
	go func() {
		defer close(h.done)
		_ = h.server.Serve(h.listener) // until close
	}()
	return h
}

func (h *host) api() string          { return address + "/api/v10" }
func (h *host) client() *http.Client { return h.listener.HTTPClient() }

func (h *host) close() {
	h.world.Close()
	_ = h.server.Close() // nothing to lose in memory
	<-h.done
}

// speaker names the model, or the demo.
func (p *playground) speaker() string {
	if p.demo.Load() {
		return "No model is set up, so a script speaks for the bot (set OPENAI_API_KEY, ANTHROPIC_API_KEY or GEMINI_API_KEY for a real one, or OPENAI_BASE_URL for a server of your own)."
	}
	return p.bot.Load().Model() + " speaks for the bot; what it is asked may cost money."
}

// isStranger reports whether the bot does not serve a member.
func isStranger(m fakediscord.Member) bool { return m.Stranger || m.Name == stranger }
