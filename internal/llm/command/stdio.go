package command

import (
	"strings"
	"sync"
)

// maxErrors bounds what is kept of a program's stderr.
const maxErrors = 16 << 10

// A head keeps the beginning of what is written to it.
type head struct {
	mu   sync.Mutex
	text []byte
}

// Write always takes everything: a program must not wait until its complaints are read.
func (h *head) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.text = append(h.text, p[:min(len(p), maxErrors-len(h.text))]...)
	return len(p), nil
}

// lines returns what was kept, without blank lines.
func (h *head) lines() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var all []string
	for line := range strings.Lines(string(h.text)) {
		if line = oneLine(line); line != "" {
			all = append(all, line)
		}
	}
	return all
}
