package command

import (
	"errors"
	"os"
	"strings"
	"sync"
	"time"
)

// An output is a process's stdout. Reading from it can be given up.
type output struct {
	file *os.File

	mu          sync.Mutex
	interrupted bool
	orphaned    bool // its process has ended
}

// interrupt makes a read return at once, now and later.
func (o *output) interrupt() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.interrupted = true
	_ = o.file.SetReadDeadline(time.Unix(1, 0)) // fails if it is closed, and nothing is read then
}

// endsWithin says that the process has ended. Another one may still have its stdout, and is not waited for.
func (o *output) endsWithin(d time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.orphaned = true
	o.limit(d)
}

func (o *output) limit(d time.Duration) {
	if !o.interrupted {
		_ = o.file.SetReadDeadline(time.Now().Add(d)) // as above
	}
}

func (o *output) Read(p []byte) (int, error) {
	n, err := o.file.Read(p)
	if errors.Is(err, os.ErrDeadlineExceeded) && o.mayHoldMore() {
		return o.file.Read(p)
	}
	return n, err
}

// mayHoldMore gives a read a moment longer after the end of the process: the consumer may have been busy all the time
// in which there was something to read.
func (o *output) mayHoldMore() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.limit(100 * time.Millisecond)
	return o.orphaned && !o.interrupted
}

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
