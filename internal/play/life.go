package play

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"discoclaw/internal/chat"
	"discoclaw/internal/config"
)

// A life is the bot of a playground, which is replaced when another model is chosen, and may be killed and started again.
type life struct {
	make       func(env config.Env, demo bool) (bot, error)
	own        bool          // the bot is a process of its own
	unfinished func() []spot // the answers that are being written

	mu      sync.Mutex
	env     config.Env // that the bot is made with
	demo    bool       // a script speaks
	now     bot
	next    bot                // now, before it runs
	end     context.CancelFunc // ends the one that runs
	met     bool               // it has been online
	pulled  bool               // somebody has killed it
	pulse   pulse
	changed chan struct{} // closed when the pulse changes
	tell    func()        // called then
}

// A pulse is what people are told about the bot.
type pulse struct {
	Own   bool   `json:"own"`
	State string `json:"state"`
	Why   string `json:"why"`  // it is dead, if nobody has killed it
	Kept  []spot `json:"kept"` // the answers that were being written when it died last
}

// The states of a bot.
const (
	starting = "starting"
	alive    = "alive"
	dead     = "dead"
)

// A spot is a message.
type spot struct {
	Channel chat.ChannelID `json:"channel"`
	Message chat.MessageID `json:"message"`
}

// begin makes the first bot.
func (l *life) begin(env config.Env, demo bool) error {
	l.end, l.tell, l.changed = func() {}, func() {}, make(chan struct{})
	l.pulse = pulse{Own: l.own, State: starting, Kept: []spot{}}
	return l.replace(env, demo)
}

// replace has another bot take over, or the same one start again. What the one before it was answering goes on.
func (l *life) replace(env config.Env, demo bool) error {
	next, err := l.make(env, demo)
	if err != nil {
		return err
	}
	l.mu.Lock()
	l.env, l.demo, l.now, l.next, l.pulled = env, demo, next, next, false
	l.end()
	l.mu.Unlock()
	l.be(starting, "")
	return nil
}

// run runs the bot, and the one that replaces it, until ctx ends. If a process ends before it was ever online, that is an error
// that people have to mend; later it is dead until it is started again.
func (l *life) run(ctx context.Context) error {
	for {
		err := l.once(ctx)
		if ctx.Err() != nil {
			return err
		}
		l.mu.Lock()
		replaced, over, pulled := l.next != nil, !l.own || !l.met && !l.pulled, l.pulled
		l.mu.Unlock()
		switch {
		case replaced:
			continue
		case over:
			return err
		case pulled:
			err = nil
		}
		if !l.revived(ctx, err) {
			return nil
		}
	}
}

// once runs the bot until it ends.
func (l *life) once(ctx context.Context) error {
	ctx, end := context.WithCancel(ctx)
	defer end()
	l.mu.Lock()
	l.end, l.next = end, nil
	now := l.now
	l.mu.Unlock()
	return now.Run(ctx)
}

// revived waits until a dead bot was started again. It is false if ctx ends first.
func (l *life) revived(ctx context.Context, err error) bool {
	why := ""
	if err != nil {
		why = fmt.Sprintf("It ended by itself: %v.", err)
	}
	kept := l.unfinished()
	l.mu.Lock()
	l.pulse.Kept = kept
	l.mu.Unlock()
	l.be(dead, why)
	for {
		l.mu.Lock()
		replaced, changed := l.next != nil, l.changed
		l.mu.Unlock()
		if replaced {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-changed:
		}
	}
}

// online notes that the bot is there.
func (l *life) online() {
	l.mu.Lock()
	l.met = true
	l.mu.Unlock()
	l.be(alive, "")
}

// be changes the pulse.
func (l *life) be(state, why string) {
	l.mu.Lock()
	l.pulse.State, l.pulse.Why = state, why
	close(l.changed)
	l.changed = make(chan struct{})
	tell := l.tell
	l.mu.Unlock()
	tell()
}

// errInside means that a bot cannot be killed alone.
var errInside = errors.New("the bot is no process of its own here, so it cannot be killed alone")

// kill ends the bot as kill -9 does, and waits until it is dead.
func (l *life) kill(ctx context.Context) error {
	if !l.own {
		return errInside
	}
	for {
		l.mu.Lock()
		is, now, changed := l.pulse.State, l.now, l.changed
		l.pulled = true
		l.mu.Unlock()
		if is == dead {
			return nil
		}
		now.(*process).Kill()
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-changed: // it may also have come online just then
		}
	}
}

// revive starts a dead bot again.
func (l *life) revive() error {
	l.mu.Lock()
	env, demo, is := l.env, l.demo, l.pulse.State
	l.mu.Unlock()
	if is != dead {
		return nil
	}
	return l.replace(env, demo)
}

// feel returns the pulse.
func (l *life) feel() pulse {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.pulse
}

// setting is one of the settings that the bot was made with.
func (l *life) setting(name string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.env.Has(name)
}

// current is the bot.
func (l *life) current() bot {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.now
}

// scripted reports whether a script speaks.
func (l *life) scripted() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.demo
}

// onChange has f called after each change of the pulse. It is called before the bot runs.
func (l *life) onChange(f func()) { l.tell = f }
