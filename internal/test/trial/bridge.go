package trial

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"mime"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"discoclaw/internal/disk/atomicfile"
	"discoclaw/internal/llm"
	"discoclaw/internal/turn"
)

// A bridge is a runtime that writes requests to files and reads the answers from files.
type bridge struct {
	dir     string
	timeout time.Duration
	out     io.Writer

	mu       sync.Mutex
	number   int // of the latest call
	open     int // calls without an answer
	recorded []string
	done     []*call // of this request
	err      error   // the first
}

// A call is one request to the model, with its answer.
type call struct {
	number  int
	req     llm.Request
	turn    string
	channel string
	answer  string
}

// name returns the name of a file of the call.
func (c call) name(rest string) string { return fmt.Sprintf("%03d.%s", c.number, rest) }

// begin starts a new request with its recorded answers.
func (b *bridge) begin(answers []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.done, b.recorded = nil, slices.Clone(answers)
}

// calls returns the calls of this request. The last one has no answer if the trial was stopped.
func (b *bridge) calls() []call {
	b.mu.Lock()
	defer b.mu.Unlock()
	var all []call
	for _, c := range b.done {
		all = append(all, *c)
	}
	return all
}

// asks reports whether a call is open.
func (b *bridge) asks() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.open > 0
}

// failure is the error of the first call that failed.
func (b *bridge) failure() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.err
}

// Invoke writes the request and waits for the answer.
func (b *bridge) Invoke(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		c := b.ask(ctx, req)
		answer, err := b.await(ctx, c)
		b.over(c, answer, err)
		if err != nil {
			yield(nil, err)
			return
		}
		yield(llm.TextDelta{Text: answer}, nil)
	}
}

func (b *bridge) ask(ctx context.Context, req llm.Request) *call {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.number++
	b.open++
	req.Messages = slices.Clone(req.Messages) // the caller may go on writing to its own
	c := &call{number: b.number, req: req}
	for _, a := range turn.LogAttrs(ctx) {
		switch a.Key {
		case "turn":
			c.turn = a.Value.String()
		case "channel":
			c.channel = a.Value.String()
		}
	}
	b.done = append(b.done, c)
	return c
}

func (b *bridge) over(c *call, answer string, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open--
	c.answer = answer
	if _, ours := errors.AsType[*llm.Error](err); ours && b.err == nil {
		b.err = fmt.Errorf("call %03d: %w", c.number, err)
	}
}

// await writes the files of a call, and waits for its answer.
func (b *bridge) await(ctx context.Context, c *call) (string, error) {
	if err := b.write(c); err != nil {
		return "", b.broken(err)
	}
	path := filepath.Join(b.dir, c.name("answer.md"))
	if answer, ok := b.known(); ok {
		if err := atomicfile.WritePath(path, 0o644, atomicfile.Text(answer+"\n")); err != nil {
			return "", b.broken(err)
		}
		return answer, nil
	}
	if b.out != nil {
		fmt.Fprintf(b.out, "%s waits for %s\n", c.name("request.md"), path)
	}
	for began := time.Now(); time.Since(began) < b.timeout; {
		switch answer, err := os.ReadFile(path); {
		case err == nil:
			return strings.TrimRight(string(answer), "\n"), nil
		case !errors.Is(err, fs.ErrNotExist):
			return "", b.broken(err)
		}
		select {
		case <-ctx.Done():
			return "", context.Cause(ctx)
		case <-time.After(pollInterval):
		}
	}
	return "", &llm.Error{Kind: llm.Timeout, Runtime: "bridge", Waited: b.timeout, Remedy: "write " + c.name("answer.md") + " sooner"}
}

func (b *bridge) broken(err error) error {
	return &llm.Error{Kind: llm.Unavailable, Runtime: "bridge", Remedy: "look at its folder", Err: err}
}

// known takes the next recorded answer.
func (b *bridge) known() (string, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.recorded) == 0 {
		return "", false
	}
	answer := b.recorded[0]
	b.recorded = b.recorded[1:]
	return answer, true
}

// asJSON is a call for programs.
type asJSON struct {
	System   string        `json:"system"`
	Messages []messageJSON `json:"messages"`
}

type messageJSON struct {
	Role    llm.Role `json:"role"`
	Content string   `json:"content"`
	Images  []string `json:"images,omitempty"` // names of files
}

// write writes the files of a call. The .md file comes last, so that the others exist when it appears.
func (b *bridge) write(c *call) error {
	var md strings.Builder
	fmt.Fprintf(&md, "===== system =====\n%s\n", c.req.System)
	program, images := asJSON{System: c.req.System}, 0
	for _, m := range c.req.Messages {
		out := messageJSON{Role: m.Role, Content: m.Text}
		fmt.Fprintf(&md, "\n===== %s =====\n%s\n", m.Role, m.Text)
		for _, image := range m.Images {
			images++
			name := c.name(fmt.Sprintf("%d%s", images, extension(image.Type)))
			if err := os.WriteFile(filepath.Join(b.dir, name), image.Data, 0o644); err != nil {
				return err
			}
			fmt.Fprintf(&md, "[the image %s]\n", name)
			out.Images = append(out.Images, name)
		}
		program.Messages = append(program.Messages, out)
	}
	data, err := json.MarshalIndent(program, "", "  ")
	if err != nil {
		return err
	}
	if err := atomicfile.WritePath(filepath.Join(b.dir, c.name("request.json")), 0o644, atomicfile.Text(string(data))); err != nil {
		return err
	}
	return atomicfile.WritePath(filepath.Join(b.dir, c.name("request.md")), 0o644, atomicfile.Text(md.String()))
}

// extension is that of a file of a media type.
func extension(media string) string {
	if all, err := mime.ExtensionsByType(media); err == nil && len(all) > 0 {
		return all[0]
	}
	return ".bin"
}
