package play

import (
	"sync"
	"sync/atomic"

	"discoclaw/internal/config"
	"discoclaw/internal/fakediscord"
)

// whenReady closes p.online when the bot is connected, which the returned function reports, and has offered its slash
// command. Before that, the command would be taken for a message.
func (p *playground) whenReady(env config.Env) (connected func()) {
	var missing atomic.Int32
	missing.Store(2)
	arrive := func() {
		if missing.Add(-1) == 0 {
			close(p.online)
		}
	}
	offered := sync.OnceFunc(arrive)
	last := "POST /applications/{application}/commands"
	if on, err := env.Bool("DISCOCLAW_SLASH_COMMANDS", true); err == nil && !on {
		last = "GET /applications/{application}/commands" // the bot only looks for a command to withdraw
	}
	p.world.OnExchange(func(x fakediscord.Exchange) {
		if x.Route == last {
			offered()
		}
	})
	return sync.OnceFunc(arrive)
}
