// Package play is the playground: the real bot on a small Discord inside this
// process. It needs no account, no token and no key.
//
// [Run] is a conversation in a terminal. Everything between the keyboard and the
// answer is what runs on a real server: gateway, requests, gate, permissions. Only
// the Discord is a fake, and the model too, unless the settings name one.
package play

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"

	"discoclaw/internal/app"
	"discoclaw/internal/chat"
	"discoclaw/internal/config"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/llm"
	"discoclaw/internal/memnet"
)

// layout is the playground's server: one person who may do everything, one whom the
// bot knows but who may do little, and one whom it does not know.
const layout = `
guild Playground: #general #ops #ideas
bot DiscoClaw
member you: owner
member sam
stranger zed
deny #ops sam: Send Messages
`

// served are those whom the bot answers.
var served = []string{"you", "sam"}

// Options say where a playground reads and writes.
type Options struct {
	Env config.Env // settings; those that the playground has its own for are put aside
	In  io.Reader
	Out io.Writer
	Log io.Writer // nil means no log
}

// Run plays until the input or ctx ends.
func Run(ctx context.Context, o Options) (err error) {
	world, err := fakediscord.New(layout)
	if err != nil {
		return fmt.Errorf("build the playground: %w", err)
	}
	host := serve(world)
	defer host.close()
	data, err := os.MkdirTemp("", "discoclaw-play-")
	if err != nil {
		return fmt.Errorf("make a folder for the playground: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(data)) }()

	t := newTerminal(world, o.In, o.Out)
	bot, demo, err := newBot(o, world, host, data, t)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 1)
	go func() {
		ended <- bot.Run(ctx)
		stop() // nobody would answer any more
	}()
	t.converse(ctx, demo)
	stop()
	return <-ended
}

func newBot(o Options, world *fakediscord.World, host *host, data string, t *terminal) (bot *app.Bot, demo bool, err error) {
	env := config.Env{}
	for name, value := range o.Env {
		env[name] = value
	}
	for name, value := range map[string]string{
		"DISCORD_TOKEN":               world.Token(),
		"DISCORD_API_URL":             host.api(),
		"DISCORD_ALLOW_USER_IDS":      userIDs(world, served),
		"DISCOCLAW_OPERATOR_USER_IDS": userIDs(world, served[:1]),
		"DISCORD_CHANNEL_IDS":         "",
		"DISCORD_GUILD_ID":            "",
		"DISCOCLAW_DATA_DIR":          data,
	} {
		env[name] = value
	}
	out := app.Outside{
		HTTP:     host.client(),
		Log:      o.Log,
		Online:   func(chat.User) { t.online() },
		Answered: t.answered,
	}
	var runtime llm.Runtime
	if demo = !app.HasModel(env); demo {
		runtime = newDemo()
	}
	out.Runtime = runtime
	bot, err = app.NewBot(env, out)
	return bot, demo, err
}

func userIDs(world *fakediscord.World, names []string) string {
	list := ""
	for _, name := range names {
		m, _ := world.Member(name) // the layout has them
		list += string(m.ID) + " "
	}
	return list
}

// A host serves a world in memory.
type host struct {
	world    *fakediscord.World
	listener *memnet.Listener
	server   *http.Server
	done     chan struct{}
}

func serve(world *fakediscord.World) *host {
	const address = "http://playground.invalid" // never looked up: the listener is in memory
	world.SetURL(address)
	h := &host{world: world, listener: memnet.New(), server: &http.Server{Handler: world.Handler()}, done: make(chan struct{})}
	go func() {
		defer close(h.done)
		_ = h.server.Serve(h.listener) // until close
	}()
	return h
}

func (h *host) api() string          { return "http://playground.invalid/api/v10" }
func (h *host) client() *http.Client { return h.listener.HTTPClient() }

func (h *host) close() {
	h.world.Close()
	_ = h.server.Close() // nothing to lose in memory
	<-h.done
}
