package gateway

import "time"

const (
	// Discord closes a connection on which more than 120 commands come in within a
	// minute, heartbeats included ("Gateway Rate Limiting"). Some room is left for
	// heartbeats, which cannot wait.
	maxCommands   = 110
	commandWindow = time.Minute
)

// An allowance is the rate limit of one connection.
type allowance struct {
	sent []time.Time // within the window, oldest first
}

// spend counts a command that is sent now.
func (a *allowance) spend(now time.Time) {
	a.forget(now)
	a.sent = append(a.sent, now)
}

// wait returns how long to wait before sending a command that can wait.
func (a *allowance) wait(now time.Time) time.Duration {
	a.forget(now)
	if len(a.sent) < maxCommands {
		return 0
	}
	return a.sent[len(a.sent)-maxCommands].Add(commandWindow).Sub(now)
}

func (a *allowance) forget(now time.Time) {
	for len(a.sent) > 0 && now.Sub(a.sent[0]) >= commandWindow {
		a.sent = a.sent[1:]
	}
}
