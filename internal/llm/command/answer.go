package command

import (
	"bufio"
	"context"
	"errors"
	"io"
	"iter"
	"time"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/door"
)

// maxLine bounds the memory for an event. Results of tools stand in one, files and all.
const maxLine = 8 << 20

// answer runs the program and yields what it says. It returns as soon as ctx ends or the consumer leaves: the process
// is ended in the background.
func (r *Runtime) answer(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		c, err := r.start(req)
		if err != nil {
			yield(nil, err)
			return
		}
		pause := time.Duration(0)
		defer func() { c.leave(pause) }()
		defer context.AfterFunc(ctx, c.out.interrupt)()

		in := r.dialect.listen(req.Workspace)
		heard := follow(&c.out, in, yield)
		if heard.skipped > 0 {
			r.Log.DebugContext(ctx, "lines of the program were no events", "runtime", string(r.Kind), "count", heard.skipped, "first", c.hide(heard.preview))
		}
		over, why := in.verdict()
		switch {
		case heard.left:
			return
		case over && why == nil:
			pause = grace // it may still have something to put away
			return
		case !over:
			why = c.obituary(ctx, in, heard.err)
		}
		if text := in.rest(); text != "" && !yield(llm.TextDelta{Text: text}, nil) {
			return
		}
		yield(nil, c.describe(why, req.Model))
	}
}

// heard is what became of a program's output besides events.
type heard struct {
	left    bool // the consumer has
	err     error
	skipped int    // lines that are no events
	preview string // of the first of them
}

// follow yields the events of a program's output up to the end of the answer, or of the output. A line that is no event
// is something that the program, or one that it runs, wanted to say to people; what it may have torn apart shows by the
// end that is missing.
func follow(out io.Reader, in reader, yield func(llm.Event, error) bool) (h heard) {
	lines := door.Lines(out, maxLine)
	for lines.Scan() {
		if len(lines.Bytes()) == 0 {
			continue
		}
		events, ok := in.take(lines.Bytes())
		if !ok {
			if h.skipped++; h.skipped == 1 {
				h.preview = clip(oneLine(lines.Text()), 200)
			}
		}
		for _, e := range events {
			if !yield(e, nil) {
				h.left = true
				return h
			}
		}
		if over, _ := in.verdict(); over {
			return h
		}
	}
	if h.err = lines.Err(); errors.Is(h.err, bufio.ErrTooLong) {
		h.err = errLongLine
	}
	return h
}

var errLongLine = errors.New("a line is longer than 8 MiB")
