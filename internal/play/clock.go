package play

import (
	"encoding/json"
	"net/http"
	"slices"
	"sync"
	"time"

	"discoclaw/internal/chat"
)

// A clock is the machine's, moved on by people. The bot goes by it for what happens later, and the page for what it
// shows. The fake Discord does not, since its IDs, sessions and limits would take the jump for trouble.
type clock struct {
	mu    sync.Mutex
	moves []move // in their order
}

// A move is since when the clock has been ahead of the machine's, and by how much.
type move struct {
	Since time.Time
	Ahead time.Duration
}

// all returns the moves so far.
func (c *clock) all() []move {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.moves)
}

// set has the clock show what another one shows, of which these are the moves.
func (c *clock) set(moves []move) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.moves = moves
}

func (c *clock) now() time.Time { return c.shown(time.Now()) }

// shown returns what the clock showed at a time of the machine's.
func (c *clock) shown(t time.Time) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return t.Add(c.ahead(t))
}

func (c *clock) ahead(t time.Time) time.Duration {
	for _, m := range slices.Backward(c.moves) {
		if !t.Before(m.Since) {
			return m.Ahead
		}
	}
	return 0
}

// move moves the clock on to a time that depends on what it shows. It never moves back.
func (c *clock) move(to func(now time.Time) time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	machine := time.Now()
	before := c.ahead(machine)
	if ahead := to(machine.Add(before)).Sub(machine); ahead > before {
		c.moves = append(c.moves, move{machine.Truncate(time.Millisecond), ahead}) // the precision of Discord's times
	}
}

// A clockRecord is the clock as the page shows it.
type clockRecord struct {
	Now   time.Time   `json:"now"`
	Ahead int64       `json:"aheadMs"` // of the machine's
	Jobs  []jobRecord `json:"jobs"`    // in the order in which they run next
}

// A jobRecord is a scheduled job that has not been deleted.
type jobRecord struct {
	ID      string         `json:"id"`
	Name    string         `json:"name"`
	Channel chat.ChannelID `json:"channel"`
	Paused  bool           `json:"paused"`
	Next    time.Time      `json:"next,omitzero"`
	Last    *runRecord     `json:"last"` // null before the first one
}

// A runRecord is a run that has ended, or that was left out.
type runRecord struct {
	Slot   time.Time `json:"slot"`
	Ended  time.Time `json:"ended"`
	Why    string    `json:"why"`
	Status string    `json:"status"`
	Error  string    `json:"error"`
}

// readClock is the handler of GET /api/clock.
func (s *site) readClock(w http.ResponseWriter, r *http.Request) {
	jobs, err := s.current().Jobs(r.Context(), s.world.GuildID())
	if err != nil { // the bot is starting, and the page asks again then
		jobs = []jobRecord{}
	}
	machine := time.Now()
	now := s.clock.shown(machine)
	answering(clockRecord{now, now.Sub(machine).Milliseconds(), jobs}).ServeHTTP(w, r)
}

// moveClock is the handler of POST /api/clock. To move on is like waking a machine that has slept: what was due meanwhile
// is late.
func (s *site) moveClock(w http.ResponseWriter, r *http.Request) {
	var in struct{ To string }
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<10)).Decode(&in); err != nil {
		refuse(w, http.StatusBadRequest, "the request is not JSON")
		return
	}
	jobs, err := s.current().Jobs(r.Context(), s.world.GuildID())
	next := slices.IndexFunc(jobs, func(j jobRecord) bool { return j.Next.After(s.clock.now()) })
	switch {
	case err != nil:
		refuse(w, http.StatusServiceUnavailable, "the bot is not there; start it, or try again in a moment")
		return
	case in.To == "run" && next < 0:
		refuse(w, http.StatusConflict, "no scheduled job has a next run")
		return
	case in.To == "run":
		s.clock.move(func(time.Time) time.Time { return jobs[next].Next })
	case in.To == "hour":
		s.clock.move(func(now time.Time) time.Time { return now.Add(time.Hour) })
	case in.To == "day":
		s.clock.move(func(now time.Time) time.Time { return now.AddDate(0, 0, 1) })
	default:
		refuse(w, http.StatusBadRequest, "to is run, hour or day")
		return
	}
	s.publish("clock", struct{}{}) // before anything that is due
	s.current().ClockMoved(s.clock.all())
	s.readClock(w, r)
}

// refuse answers with an error, as the rest of the API does.
func refuse(w http.ResponseWriter, status int, why string) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"error": why}) // the reader may be gone
}
