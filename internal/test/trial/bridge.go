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

	"discoclaw/internal/consent"
	"discoclaw/internal/disk/atomicfile"
	"discoclaw/internal/llm"
	"discoclaw/internal/test/scenario"
	"discoclaw/internal/turn"
)

// A bridge is a runtime that writes requests to files and reads the answers from files.
type bridge struct {
	dir     string
	timeout time.Duration
	out     io.Writer
	stopped <-chan struct{} // the trial is over; nil for never

	mu       sync.Mutex
	number   int // of the latest call
	readers  int // of the latest call of the clean reader
	open     int // calls without an answer
	recorded []scenario.Answer
	done     []*call // of this request
	err      error   // the first
}

// A call is one request to the model, with its answer.
type call struct {
	number  int // among the calls of the clean reader, or among all others
	req     llm.Request
	turn    string
	channel string
	answer  answer
}

// readerDir is the folder of the clean reader's calls: whoever answers them must not see the others.
const readerDir = "reader"

// ofReader reports whether the call asks the clean reader which changes follow from the words of a person.
func (c call) ofReader() bool { return c.req.System == consent.Instruction }

// name returns the name of a file of the call, below the folder of the trial.
func (c call) name(rest string) string {
	name := fmt.Sprintf("%03d.%s", c.number, rest)
	if c.ofReader() {
		return readerDir + "/" + name
	}
	return name
}

// begin starts a new request with its recorded answers.
func (b *bridge) begin(answers []scenario.Answer) {
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
		if (answer.said != "" || len(answer.calls) == 0) && !yield(llm.TextDelta{Text: answer.said}, nil) {
			return
		}
		for i, t := range answer.calls {
			if !yield(llm.ToolCall{ID: fmt.Sprintf("call-%d-%d", c.number, i+1), Name: t.Name, Input: t.Input}, nil) {
				return
			}
		}
	}
}

func (b *bridge) ask(ctx context.Context, req llm.Request) *call {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open++
	req.Messages = slices.Clone(req.Messages) // the caller may go on writing to its own
	c, number := &call{req: req}, &b.number
	if c.ofReader() {
		number = &b.readers
	}
	*number++
	c.number = *number
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

func (b *bridge) over(c *call, answer answer, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open--
	c.answer = answer
	if _, ours := errors.AsType[*llm.Error](err); ours && b.err == nil {
		b.err = fmt.Errorf("call %03d: %w", c.number, err)
	}
}

// await writes the files of a call, and waits for its answer.
func (b *bridge) await(ctx context.Context, c *call) (answer, error) {
	if err := b.write(c); err != nil {
		return answer{}, b.broken(err)
	}
	path := filepath.Join(b.dir, c.name("answer.md"))
	if text, ok := b.known(c.ofReader()); ok {
		if err := atomicfile.WritePath(path, 0o644, atomicfile.Text(text+"\n")); err != nil {
			return answer{}, b.broken(err)
		}
		a, err := c.parse(text)
		if err != nil {
			return a, b.broken(err)
		}
		return a, nil
	}
	b.say("%s waits for %s", c.name("request.md"), path)
	done := ctx.Done()
	for began := time.Now(); time.Since(began) < b.timeout; {
		a, err := b.look(c, path)
		switch {
		case err == nil:
			return a, nil
		case !errors.Is(err, fs.ErrNotExist):
			return a, b.broken(err)
		}
		select {
		case <-done:
			if !c.ofReader() || !errors.Is(ctx.Err(), context.DeadlineExceeded) || done == b.stopped {
				return answer{}, context.Cause(ctx)
			}
			done = b.stopped // the few seconds that the reader has are not for players
		case <-time.After(pollInterval):
		}
	}
	return answer{}, &llm.Error{Kind: llm.Timeout, Runtime: "bridge", Waited: b.timeout, Remedy: "write " + c.name("answer.md") + " sooner"}
}

func (b *bridge) say(format string, args ...any) {
	if b.out != nil {
		fmt.Fprintf(b.out, format+"\n", args...)
	}
}

// look reads the file of an answer. One that cannot be understood is put aside with a note, as if it had not been written: as text it
// would be posted, and the work would end there.
func (b *bridge) look(c *call, path string) (answer, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return answer{}, err
	}
	note := filepath.Join(b.dir, c.name("trouble.txt"))
	a, wrong := c.parse(strings.TrimRight(string(text), "\n"))
	if wrong == nil {
		if err := os.Remove(note); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return a, err
		}
		return a, nil
	}
	if err := os.Rename(path, filepath.Join(b.dir, c.name("refused.md"))); err != nil {
		return a, errors.Join(errors.New("put an answer aside"), err)
	}
	b.say("%s cannot be understood: %v", c.name("refused.md"), wrong)
	trouble := fmt.Sprintf("%s cannot be understood: %v.\nWrite %s again.\n", c.name("refused.md"), wrong, c.name("answer.md"))
	if err := atomicfile.WritePath(note, 0o644, atomicfile.Text(trouble)); err != nil {
		return a, err
	}
	return a, fs.ErrNotExist
}

// parse reads the answer to the call. Without tools, all of it is text.
func (c *call) parse(text string) (answer, error) {
	if len(c.req.Tools) == 0 {
		return answer{text: text, said: text}, nil
	}
	return parseAnswer(text)
}

func (b *bridge) broken(err error) error {
	return &llm.Error{Kind: llm.Unavailable, Runtime: "bridge", Remedy: "look at its folder", Err: err}
}

// known takes the next recorded answer, of the clean reader or of the model.
func (b *bridge) known(reader bool) (string, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := slices.IndexFunc(b.recorded, func(a scenario.Answer) bool { return a.Reader == reader })
	if i < 0 {
		return "", false
	}
	text := b.recorded[i].Text
	b.recorded = slices.Delete(b.recorded, i, i+1)
	return text, true
}

// asJSON is a call for programs.
type asJSON struct {
	Role     string        `json:"role,omitempty"` // of the call, such as chat
	System   string        `json:"system"`
	Tools    []toolJSON    `json:"tools,omitempty"`
	Messages []messageJSON `json:"messages"`
}

type toolJSON struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
}

type messageJSON struct {
	Role    llm.Role     `json:"role"`
	Content string       `json:"content"`
	Images  []string     `json:"images,omitempty"` // names of files
	Calls   []toolCall   `json:"calls,omitempty"`
	Results []resultJSON `json:"results,omitempty"`
}

type resultJSON struct {
	Name   string `json:"name"`
	Text   string `json:"text"`
	Failed bool   `json:"failed,omitempty"`
}

// write writes the files of a call. The .md file comes last, so that the others exist when it appears.
func (b *bridge) write(c *call) error {
	if c.ofReader() {
		if err := os.MkdirAll(filepath.Join(b.dir, readerDir), 0o755); err != nil {
			return err
		}
	}
	var md strings.Builder
	if c.req.Payer.Role != "" {
		fmt.Fprintf(&md, "===== role: %s =====\n\n", c.req.Payer.Role)
	}
	fmt.Fprintf(&md, "===== system =====\n%s\n", c.req.System)
	program, images := asJSON{Role: c.req.Payer.Role, System: c.req.System}, 0
	if len(c.req.Tools) > 0 {
		fmt.Fprintf(&md, "\n===== tools =====\n%s", howToCall(c.req.Tools))
	}
	for _, t := range c.req.Tools {
		program.Tools = append(program.Tools, toolJSON(t))
	}
	for _, m := range c.req.Messages {
		out := describe(&md, m)
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

// describe writes a message without its images, and returns it for programs.
func describe(md *strings.Builder, m llm.Message) messageJSON {
	out := messageJSON{Role: m.Role, Content: m.Text}
	if len(m.Results) == 0 { // which have nothing beside them
		fmt.Fprintf(md, "\n===== %s =====\n%s\n", m.Role, m.Text)
	}
	for _, t := range m.Calls {
		c := toolCall{t.Name, t.Input}
		out.Calls = append(out.Calls, c)
		md.WriteString(c.block())
	}
	for _, r := range m.Results {
		out.Results = append(out.Results, resultJSON{r.Name, r.Text, r.Failed})
		fmt.Fprintf(md, "\n===== %s =====\n%s\n", outcome(r), r.Text)
	}
	return out
}

// outcome is the title of a result.
func outcome(r llm.ToolResult) string {
	if r.Failed {
		return r.Name + " failed"
	}
	return "result of " + r.Name
}

// extension is that of a file of a media type.
func extension(media string) string {
	if all, err := mime.ExtensionsByType(media); err == nil && len(all) > 0 {
		return all[0]
	}
	return ".bin"
}
