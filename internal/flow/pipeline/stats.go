package pipeline

import (
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/llm"
	"discoclaw/internal/turn"
)

// maxTimes is how many recent turns of each flow the percentiles are computed from.
const maxTimes = 400

// A Health holds the statistics of this process since its start.
type Health struct {
	Since       time.Time
	Sessions    int       // with Discord
	Online      time.Time // when the last session began; zero before the first
	LastMessage time.Time // when the last message for the bot was accepted; zero before the first

	Messages         int // accepted messages for the bot
	Commands         int
	Running, Waiting int // turns
	Flows            []FlowHealth
	Done, Failed     int            // actions
	Pending          int            // actions that were put up for approval
	Faults           map[string]int // failed turns, by what failed
}

// A FlowHealth holds the statistics of the turns of one flow.
type FlowHealth struct {
	Flow                  actions.Flow
	Done, Failed, Stopped int
	Half, Most            time.Duration // median and 95th percentile of how long the recent turns took
}

// Health returns the current statistics.
func (p *Pipeline) Health() Health {
	h := p.stats.health()
	h.Running, h.Waiting = p.convo.Count()
	return h
}

// Online counts a session with Discord, and Heard a message for the bot.
func (p *Pipeline) Online() { p.stats.online() }
func (p *Pipeline) Heard()  { p.stats.heard() }

// Busy reports whether a turn runs or waits in a channel.
func (p *Pipeline) Busy(ch chat.ChannelID) bool { return p.convo.Busy(ch) }

// stats counts what happens, in bounded memory. The zero value has counted nothing.
type stats struct {
	began time.Time

	mu     sync.Mutex
	total  Health
	flows  map[actions.Flow]*flowStats
	faults map[string]int
}

type flowStats struct {
	FlowHealth
	took []time.Duration // oldest first
}

// online counts a session with Discord.
func (s *stats) online() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.total.Sessions++
	s.total.Online = time.Now()
}

// heard counts a message for the bot.
func (s *stats) heard() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.total.Messages++
	s.total.LastMessage = time.Now()
}

// over counts a finished turn or command.
func (s *stats) over(t turn.Report) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.Command != "" {
		s.total.Commands++
		return
	}
	flow := s.flow(t.Origin.Flow)
	switch {
	case t.Err == nil:
		flow.Done++
	case errors.Is(t.Err, turn.ErrStopped), errors.Is(t.Err, turn.ErrGoingDown):
		flow.Stopped++
	default:
		flow.Failed++
		s.faults[fault(t.Err)]++
	}
	flow.took = append(flow.took, t.Took)
	flow.took = flow.took[max(len(flow.took)-maxTimes, 0):]
	for _, out := range t.Outcomes() {
		switch {
		case out.Err != nil:
			s.total.Failed++
		case out.Pending != nil:
			s.total.Pending++
		default:
			s.total.Done++
		}
	}
}

// flow returns the counters of a flow. s.mu must be held.
func (s *stats) flow(name actions.Flow) *flowStats {
	if s.flows == nil {
		s.flows, s.faults = map[actions.Flow]*flowStats{}, map[string]int{}
	}
	if s.flows[name] == nil {
		s.flows[name] = &flowStats{FlowHealth: FlowHealth{Flow: name}}
	}
	return s.flows[name]
}

// fault returns what failed, for people. The text of the error is not used, since it may hold anything.
func fault(err error) string {
	if model := (*llm.Error)(nil); errors.As(err, &model) && model.Kind != "" {
		return "my language model (" + string(model.Kind) + ")"
	}
	if errors.Is(err, turn.ErrNoReply) {
		return "posting on Discord"
	}
	return "something inside me"
}

func (s *stats) health() Health {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.total
	h.Since, h.Faults = s.began, maps.Clone(s.faults)
	for _, name := range slices.Sorted(maps.Keys(s.flows)) {
		flow := s.flows[name].FlowHealth
		times := slices.Sorted(slices.Values(s.flows[name].took))
		flow.Half, flow.Most = times[(len(times)-1)*50/100], times[(len(times)-1)*95/100]
		h.Flows = append(h.Flows, flow)
	}
	return h
}
