package fakediscord

import (
	"slices"
	"time"
)

// An Exchange is one REST request with its answer.
type Exchange struct {
	At          time.Time
	Method      string
	Path        string // below /api/v10, as it was sent
	Query       string
	Route       string // "POST /channels/{channel}/messages"; empty for one that is not built
	Reason      string // for the audit log
	ContentType string
	Request     []byte
	Status      int // 0 if there was no answer
	Response    []byte
	Spoilt      bool // by a Fault
	Undescribed bool // by Discord, which answers it for older clients
}

// maxExchanges is how many exchanges are kept, for playgrounds that stay open.
const maxExchanges = 50_000

// Requests are the exchanges so far, in the order in which they were answered, the
// latest maxExchanges.
func (w *World) Requests() []Exchange {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.exchanges)
}

// OnExchange calls f for every exchange from now on, just before the client gets
// its answer. Calls of f may be concurrent.
func (w *World) OnExchange(f func(Exchange)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.onExchange = append(slices.Clip(w.onExchange), f)
}

// Unbuilt are the requests so far that Discord might have answered and the fake did
// not, because that part is not built.
func (w *World) Unbuilt() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.unbuilt)
}
