package play

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"discoclaw/internal/access"
	"discoclaw/internal/app"
	"discoclaw/internal/chat"
	"discoclaw/internal/config"
	"discoclaw/internal/confirm"
	"discoclaw/internal/play/standin"
	"discoclaw/internal/turn"
)

// A bot is the bot as the playground uses it: [inside] this process, or a [process] of its own, which can be killed.
type bot interface {
	// Run serves until ctx ends, which is no error, or until the bot ends by itself.
	Run(ctx context.Context) error
	// Model names the model.
	Model() string
	// Perform runs an action for a member, as a command would.
	Perform(ctx context.Context, a asked) error
	// Jobs returns the scheduled jobs of a server.
	Jobs(ctx context.Context, g chat.GuildID) ([]jobRecord, error)
	// ClockMoved says how the clock has been moved so far.
	ClockMoved(moves []move)
}

// orders say what bot to make.
type orders struct {
	Env      config.Env
	Settings string // see Options
	Demo     bool
	Pace     time.Duration
	Log      bool
	Moves    []move // of the clock
}

// ears hear what happens to a bot.
type ears struct {
	online  func()
	turn    func(record)
	card    func(cardRecord)
	silence func(silenceRecord)
}

// inside is a bot in this process. It restarts as a whole.
type inside struct {
	orders orders
	out    app.Externals
	clock  *clock
	bot    atomic.Pointer[app.Bot]
}

func newInside(o orders, discord *http.Client, log io.Writer, hear ears) (*inside, error) {
	b := &inside{orders: o, clock: &clock{moves: o.Moves}}
	b.out = app.Externals{
		HTTP:    discord,
		NoCalls: discord != nil, // in memory there are no sockets
		Log:     log,
		Online:  func(chat.User) { hear.online() },
		Answered: func(t turn.Report) {
			r := recordOf(t)
			if o.Demo && t.Command == "" {
				r = r.by("a script")
			}
			hear.turn(r)
		},
		Decided: func(e confirm.Ending) { hear.card(cardOf(e)) },
		Ignored: func(m chat.Message, why access.Refusal) {
			if s, told := silenceOf(m, why); told {
				hear.silence(s)
			}
		},
		Now:      b.clock.now,
		Settings: o.Settings,
		ReadOnly: o.Settings != "",
	}
	if o.Demo {
		b.out.Runtime = standin.New(o.Pace, b.clock.shown)
	}
	return b, b.make()
}

func (b *inside) make() error {
	bot, err := app.NewBot(b.orders.Env, b.out)
	if err == nil {
		b.bot.Store(bot)
	}
	return err
}

func (b *inside) Run(ctx context.Context) error {
	for {
		if err := b.bot.Load().Run(ctx); !errors.Is(err, app.ErrRestart) {
			return err
		}
		if err := b.make(); err != nil {
			return err
		}
	}
}

func (b *inside) Model() string { return b.bot.Load().Model() }

func (b *inside) Perform(ctx context.Context, a asked) error {
	out, err := b.bot.Load().Perform(ctx, chat.Message{Author: a.By, Place: a.Place}, a.Action, a.Fields)
	if err == nil {
		err = out.Err
	}
	return err
}

// Jobs returns them in the order in which they run next. Those without a next run come last.
func (b *inside) Jobs(ctx context.Context, g chat.GuildID) ([]jobRecord, error) {
	engine, ok := b.bot.Load().Jobs()
	if !ok {
		return nil, errors.New("the bot is starting")
	}
	all, err := engine.List(ctx, g)
	list := []jobRecord{}
	for _, j := range all {
		job := jobRecord{ID: j.ID, Name: j.Name, Channel: j.Channel, Paused: j.Paused, Next: j.Next}
		past, err := engine.Past(ctx, j.ID, 1)
		if err != nil {
			return nil, err
		}
		for _, p := range past {
			job.Last = &runRecord{p.Slot, p.Ended, string(p.Why), string(p.Status), p.Error}
		}
		list = append(list, job)
	}
	slices.SortStableFunc(list, func(a, b jobRecord) int {
		if a.Next.IsZero() || b.Next.IsZero() {
			return b.Next.Compare(a.Next)
		}
		return a.Next.Compare(b.Next)
	})
	return list, err
}

func (b *inside) ClockMoved(moves []move) {
	b.clock.set(moves)
	b.bot.Load().ClockMoved()
}

// logOf is where a bot logs to, or nil.
func (o orders) logOf() io.Writer {
	if !o.Log {
		return nil
	}
	return os.Stderr
}
