package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/llm"
)

const (
	maxAtOnce = 4                // calls that only read
	maxCalls  = 20               // of one answer; further ones are refused
	heartbeat = 30 * time.Second // between signs of life while tools run
	maxAbout  = 100              // characters of a call's subject
)

// A pending call is one that was checked.
type pending struct {
	llm.ToolCall
	tool  tool
	input input
	done  result
	over  bool // it has a result already
}

// call runs the calls of one answer and returns their results. It returns false if there is no more to do.
func (s *session) call(ctx context.Context, calls []llm.ToolCall) ([]llm.ToolResult, bool) {
	list := make([]*pending, len(calls))
	for i, c := range calls {
		times := s.repeated(c)
		if times >= maxRepeats {
			s.fail(fmt.Sprintf("it called the tool %s with the same input %d times in a row; ask in other words", chat.Clip(chat.OneLine(c.Name), 40), times))
			return nil, false
		}
		list[i] = s.check(c, times)
		if i >= maxCalls {
			list[i].refuse(fmt.Errorf("one answer has %d calls at most. Make this one again in the next", maxCalls))
		}
	}
	if !s.inOrder(ctx, list) {
		return nil, false
	}
	results := make([]llm.ToolResult, len(list))
	for i, p := range list {
		results[i] = s.take(p)
	}
	return results, true
}

// later is the result of a call that was passed on: vendors want one for every call before they go on.
const later = "Noted. It is carried out when your answer is complete, and what comes of it is told to you after that. Do not call it again; go on with the other results."

// check finds the tool of a call and reads its input.
func (s *session) check(c llm.ToolCall, times int) *pending {
	p := &pending{ToolCall: c}
	var names []string
	for _, t := range s.offered {
		names = append(names, t.Name)
		if t.Name == c.Name {
			p.tool = t
		}
	}
	if s.isForeign(c.Name) {
		p.done, p.over = result{text: later}, true
		return p
	}
	if p.tool.Name == "" {
		p.refuse(fmt.Errorf("there is no tool of this name here. These are the tools: %s", strings.Join(names, ", ")))
		return p
	}
	var err error
	if p.input, err = p.tool.decode(c.Input); err != nil {
		p.refuse(err)
	} else if p.tool.changes && s.wasRead(p.tool) {
		p.refuse(errors.New("after a page of the web was read, or a result of another server, nothing is changed in the same answer. Tell the person what you would do, so that they can ask for it"))
	} else if times >= tellRepeat {
		p.refuse(errors.New("you have already made this call with this input, and its result is above. Use that result, try another way, or answer with what you have"))
	}
	return p
}

// wasRead reports whether outside text was read that did not come from the tool's own server.
func (s *session) wasRead(t tool) bool {
	return slices.ContainsFunc(s.read, func(from string) bool { return t.server == "" || from != t.server })
}

func (p *pending) refuse(why error) { p.done, p.over = failure(why), true }

// failure is a result that says what was wrong, as a sentence.
func failure(why error) result {
	return result{text: chat.Capital(why.Error()) + ".", failed: true}
}

// inOrder runs calls. Those that only read run together, a few at a time; one that changes something waits for those before it,
// and those after it wait for it. It returns false as together does.
func (s *session) inOrder(ctx context.Context, rest []*pending) bool {
	for len(rest) > 0 {
		n := 1
		for n < min(len(rest), maxAtOnce) && !rest[0].tool.changes && !rest[n].tool.changes {
			n++
		}
		if !s.together(ctx, rest[:n]) {
			return false
		}
		rest = rest[n:]
	}
	return true
}

// together runs some calls at the same time. It returns false if the consumer has left or ctx has ended.
func (s *session) together(ctx context.Context, list []*pending) bool {
	type end struct {
		p    *pending
		done result
	}
	ends := make(chan end, len(list)) // no call waits for a consumer that has left
	for _, p := range list {
		if p.tool.Name != "" && !s.yield(llm.ToolStart{Name: p.tool.Name, About: p.about(), Changes: p.tool.changes}, nil) {
			return false
		}
		if p.over {
			ends <- end{p, p.done}
			continue
		}
		go func() { ends <- end{p, s.perform(ctx, p)} }()
	}
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for range list {
		var e end
		for e.p == nil {
			select {
			case <-ctx.Done():
			case e = <-ends:
			case <-beat.C:
				if !s.yield(llm.Thinking{}, nil) {
					return false
				}
			}
			if err := context.Cause(ctx); err != nil {
				s.yield(nil, err)
				return false
			}
		}
		e.p.done = e.done
		if e.p.tool.Name != "" && !s.yield(llm.ToolEnd{Name: e.p.tool.Name, Failed: e.done.failed, Outside: e.done.outside}, nil) {
			return false
		}
	}
	return true
}

// about is the subject of a call for people, without secrets.
func (p *pending) about() string {
	if p.input == nil {
		return ""
	}
	return llm.Redact(chat.Clip(chat.OneLine(p.input.about()), maxAbout))
}

// perform runs a call. A mistake of ours must not end the process.
func (s *session) perform(ctx context.Context, p *pending) (r result) {
	began := time.Now()
	defer func() {
		if v := recover(); v != nil {
			s.Log.ErrorContext(ctx, "tool panicked", "tool", p.Name, "err", v, "stack", string(debug.Stack()))
			r = failure(errors.New("this tool has broken down. Try another way, or say that it does not work"))
		}
		s.Log.DebugContext(ctx, "tool called", "tool", p.Name, "took", time.Since(began), "failed", r.failed)
	}()
	r, err := p.input.run(ctx, s)
	if err != nil {
		return failure(err)
	}
	return r
}

// take returns the result of a call within the limits, and remembers what of it came from outside.
func (s *session) take(p *pending) llm.ToolResult {
	text := strings.ToValidUTF8(p.done.text, "�")
	if strings.TrimSpace(text) == "" {
		text = "(nothing)" // some vendors refuse a blank one
	}
	text = keepEnds(text, min(maxResult, s.output))
	if s.output == 0 {
		text = "The tools have returned all that fits into one answer. Answer with what you have."
		p.done.failed = true
	} else {
		s.output -= min(len(text), s.output)
		s.said = append(s.said, p.done.said)
		s.tainted = s.tainted || p.done.outside != ""
		if p.done.outside != "" && (p.Name == fetching || p.tool.server != "") {
			s.read = append(s.read, p.tool.server)
		}
	}
	return llm.ToolResult{ID: p.ID, Name: p.Name, Text: text, Failed: p.done.failed}
}

// An External tool is one that another program runs, such as an MCP server. Its results are outside text.
type External struct {
	llm.Tool
	Server string // the name of that program
	// Call returns what the tool says, and whether it says that it has failed. An error is a sentence of ours for the model.
	Call func(ctx context.Context, input json.RawMessage) (text string, failed bool, err error)
}

// maxTools is how many tools a request may have. OpenAI refuses one with more.
const maxTools = 128

// withMore adds the external tools of a request, unless others have their names, as far as there is room.
func (l *looped) withMore(ctx context.Context, offered []tool, req llm.Request) []tool {
	if l.More == nil || req.Workspace.Root != "" || req.Workspace.Tainted {
		return offered
	}
	for _, e := range l.More(ctx, req) {
		taken := slices.ContainsFunc(table, func(t tool) bool { return t.Name == e.Name }) ||
			slices.ContainsFunc(req.Tools, func(t llm.Tool) bool { return t.Name == e.Name })
		if !taken && len(offered)+len(req.Tools) < maxTools {
			offered = append(offered, tool{Tool: e.Tool, level: llm.ToolsRead, changes: true, decode: e.decode, server: e.Server})
		}
	}
	return offered
}

func (e External) decode(raw json.RawMessage) (input, error) {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil || members == nil {
		return nil, errors.New("the input does not fit the tool's schema. Call it again with a JSON object that does")
	}
	return externalCall{e, raw}, nil
}

type externalCall struct {
	External
	input json.RawMessage
}

func (c externalCall) about() string { return "" } // its input may be anything, secrets too

func (c externalCall) run(ctx context.Context, _ *session) (result, error) {
	text, failed, err := c.Call(ctx, c.input)
	if err != nil {
		return result{}, err
	}
	r := quoted("a result of the MCP server ", c.Server, chat.Clip(legible(text), maxPageText))
	r.failed = failed
	return r, nil
}
