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
	"os"
	"strings"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/config"
	"discoclaw/internal/disk/atomicfile"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/llm/nearby"
	"discoclaw/internal/llm/runtimes"
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
	Bot      []string        // the command of a process that runs Alone, so that the bot can be killed; empty means to run it in this one
	Ready    func(url string)
	Watch    func(*fakediscord.World) // gets the world before the bot connects; may be nil
}

// A playground is a Discord with the bot on it.
type playground struct {
	*life
	world    *fakediscord.World
	host     *host
	clock    *clock
	settings config.Env // that the playground began with
	turns    records
	begins   []given // what the bot has from the start; none in a world that was there before

	data   string        // the bot's data directory
	gone   bool          // close removes it
	file   *worldFile    // nil if the world is not saved
	online chan struct{} // closed when the bot is connected and offers its slash command
}

// open builds a playground. Tell gets what happens there, under the names of the API's events: a record of every turn, again after
// a card of it has ended, and why messages get no answer.
func open(o Options, tell func(event string, data any)) (_ *playground, err error) {
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
	p := &playground{world: world, clock: &clock{}, settings: o.Env, online: make(chan struct{})}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.close())
		}
	}()
	if p.host, err = serve(world, len(o.Bot) > 0); err != nil {
		return p, err
	}
	demo := o.Demo || !runtimes.IsNamed(o.Env)
	if fresh {
		if p.begins, err = givenIn(text, p.clock.now(), demo); err != nil {
			return p, config.Mistakef("%v", err)
		}
	}
	if err := p.keep(o, path); err != nil {
		return p, err
	}
	p.life = p.lifeOf(o, tell)
	return p, p.begin(o.Env, demo)
}

// keep chooses where the world and the bot's data are.
func (p *playground) keep(o Options, path string) (err error) {
	if path != "" {
		if p.file, err = keepWorld(p.world, path, o.Errs); err != nil {
			return err
		}
	}
	switch p.data = o.Data; {
	case p.data == "" && path != "":
		p.data = dataBeside(path)
	case p.data == "":
		if p.data, err = os.MkdirTemp("", "discoclaw-play-"); err != nil {
			return config.Mistakef("no folder can be made for the bot's data (%v); name one with --data, or set TMPDIR to a folder that can be written to", err)
		}
		p.gone = true
	}
	return nil
}

// lifeOf is the life of the bot, which is not made yet.
func (p *playground) lifeOf(o Options, tell func(event string, data any)) *life {
	l := &life{own: len(o.Bot) > 0, unfinished: p.unfinished}
	ready := p.whenReady(o.Env)
	hear := ears{online: func() { l.online(); ready() }, silence: func(s silenceRecord) { tell("silence", s) }}
	hear.turn = func(r record) {
		p.turns.add(r)
		tell("turn", r)
	}
	hear.card = func(c cardRecord) {
		if r, known := p.turns.ended(c); known {
			tell("turn", r)
		}
	}
	l.make = func(env config.Env, demo bool) (bot, error) {
		with := orders{
			Env: p.env(env, demo), Settings: o.Settings, Demo: demo, Pace: cmp.Or(o.Pace, usualPace), Log: o.Log != nil, Moves: p.clock.all(),
		}
		if l.own {
			return newProcess(o.Bot, with, o.Log, hear)
		}
		return newInside(with, p.host.client(), o.Log, hear)
	}
	return l
}

// unfinished are the answers that the bot is writing.
func (p *playground) unfinished() []spot {
	list := []spot{}
	for _, c := range p.world.Channels() {
		for _, m := range p.world.Messages(string(c.ID)) {
			if canBeStopped(m) {
				list = append(list, spot{c.ID, m.ID})
			}
		}
	}
	return list
}

// env replaces a real server's settings with the playground's own.
func (p *playground) env(given config.Env, demo bool) config.Env {
	env := maps.Clone(given)
	if env == nil {
		env = config.Env{}
	}
	for _, name := range []string{"DISCORD_CHANNEL_IDS", "DISCORD_GUILD_ID", "DISCOCLAW_CONTENT_DIR", "DISCOCLAW_STATUS_CHANNEL"} {
		delete(env, name)
	}
	env["DISCORD_TOKEN"] = p.world.Token()
	env["DISCORD_API_URL"] = p.host.api()
	env[dataSetting] = p.data
	env["DISCOCLAW_RESPOND"] = "all"
	env["DISCOCLAW_OPERATOR_DMS"] = "0" // the log is in the same window
	if !env.Has("DISCOCLAW_USER_TURNS") {
		env["DISCOCLAW_USER_TURNS"] = "0" // people try the bot as fast as they like
	}
	if !env.Has("DISCOCLAW_SUMMARY_ENABLED") {
		env["DISCOCLAW_SUMMARY_ENABLED"] = "0" // the demonstration knows no summaries
	}
	env["DISCORD_ALLOW_USER_IDS"], env["DISCOCLAW_OPERATOR_USER_IDS"] = p.served()
	if p.host.calls != nil {
		talks(env, p.host.speech())
	}
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
		ended <- p.life.run(ctx)
		stop() // without the bot there are no answers
	}()
	err := f(ctx)
	stop()
	err = errors.Join(err, flagged(<-ended))
	if p.file != nil {
		err = errors.Join(err, p.file.close()) // if it failed before, this is the last chance
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

// close removes temporary files.
func (p *playground) close() error {
	if p.host != nil {
		p.host.close()
	}
	if !p.gone {
		return nil
	}
	return os.RemoveAll(p.data)
}

// speaker says whose words the bot speaks.
func (p *playground) speaker() string {
	if p.scripted() {
		return "No model is set up, so a script speaks for the bot."
	}
	return p.current().Model() + " speaks for the bot; what it is asked may cost money."
}

// speakerHere is for a terminal, where no model can be chosen.
func (p *playground) speakerHere() string {
	text := p.speaker()
	if p.scripted() {
		text += " For a real one, set OPENAI_API_KEY, ANTHROPIC_API_KEY or GEMINI_API_KEY, or OPENAI_BASE_URL for a server of your own."
	}
	return text
}

// isStranger reports whether the bot does not serve a member.
func isStranger(m fakediscord.Member) bool { return m.Stranger || m.Name == stranger }
