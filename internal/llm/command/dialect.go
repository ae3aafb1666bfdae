package command

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"discoclaw/internal/chat"
	"discoclaw/internal/llm"
)

// A dialect is how one program is called and understood. Below the level shell no program has tools for files and for the web at the same
// time: a page could have it send off what it has read.
type dialect interface {
	traits() traits
	// call returns how the program is called for a request. Files for it may be put into the folder.
	call(o Options, req llm.Request, folder string) (call, error)
	// listen returns a reader of the program's answer to a request with these rights.
	listen(w llm.Workspace) reader
}

// traits are what errors say about a program, and what it does in a folder of a request.
type traits struct {
	product string // as its maker calls it
	program string // its usual name
	bin     string // the variable with its path
	keys    []string
	models  string // the variables with its model
	login   string // completes "run … once on this machine and log in"

	files    llm.ToolLevel // from which on it looks at files
	settings []string      // in the folder, that change what it may do
}

// unfit returns why the program would have more than the level gives in the folder of a request. Empty means that it has not.
func (t traits) unfit(w llm.Workspace) string {
	switch {
	case w.Level.Allows(llm.ToolsShell):
		return ""
	case !w.Level.Allows(t.files):
		return "it would read every file of the account"
	}
	for _, name := range t.settings {
		if _, err := os.Lstat(filepath.Join(w.Root, name)); err == nil {
			return "its settings may stand in " + name
		}
	}
	return ""
}

// A call is one run of a program.
type call struct {
	args  []string
	env   []string // besides what all programs get
	stdin []byte
}

// A reader makes events of a program's output.
type reader interface {
	// take returns what a line means. It returns false for a line that is no event.
	take(line []byte) (events []llm.Event, ok bool)
	// verdict reports whether the answer has ended, and why it failed, if it did.
	verdict() (over bool, why *fault)
	// rest returns text that take has held back.
	rest() string
	// exited returns why a process that ended without a verdict may have done so. It may be nil.
	exited(code int) *fault
}

// An outcome is how an answer ended.
type outcome struct {
	over bool
	why  *fault
}

func (o *outcome) verdict() (bool, *fault) { return o.over, o.why }

func (o *outcome) end()            { o.over = true }
func (o *outcome) fail(why *fault) { o.over, o.why = true, why }

// tools are the tools that are at work, by the IDs of their calls. Programs use several at once.
type tools map[string]llm.ToolEnd

// start notes a call. The end that goes with it says what the tool has read.
func (t tools) start(id, name, about, outside string) llm.Event {
	t[id] = llm.ToolEnd{Name: name, Outside: outside}
	return llm.ToolStart{Name: name, About: chat.Clip(llm.Redact(about), 100)}
}

// end returns the end of a call, unless it is not known.
func (t tools) end(id string, failed bool) []llm.Event {
	e, ok := t[id]
	if !ok {
		return nil
	}
	delete(t, id)
	e.Failed = failed
	return []llm.Event{e}
}

// endAll returns the ends of calls of which the program has not told any: what they have read still counts.
func (t tools) endAll() []llm.Event {
	var events []llm.Event
	for _, id := range slices.Sorted(maps.Keys(t)) {
		events = append(events, t.end(id, false)...)
	}
	return events
}

// What tools have read that is not the bot's own.
const (
	webSearch     = "results of a web search"
	commandOutput = "the output of a command" // which may have fetched anything
)

func pageOf(address string) string {
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		return "a page of " + u.Hostname()
	}
	return "a page of the web"
}

func outputOf(tool string) string { return "the output of the tool " + chat.Clip(tool, 60) }

// subject returns the field of a tool's input that says what it is about.
func subject(input json.RawMessage) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(input, &fields) != nil {
		return ""
	}
	for _, name := range []string{"file_path", "absolute_path", "path", "dir_path", "notebook_path", "url", "query", "command", "pattern"} {
		var text string
		if json.Unmarshal(fields[name], &text) == nil && text != "" {
			return chat.OneLine(text)
		}
	}
	return ""
}

// prompt returns a conversation as one text. Its parts begin with a line that begins with a mark, which is made longer
// until it stands in no part: whatever people write, it cannot pose as a part of its own. The same conversation always
// makes the same text, so that vendors find its beginning in their caches.
func prompt(req llm.Request, remark string) string {
	mark := markFor(req)
	var out strings.Builder
	fmt.Fprintf(&out, "This is a conversation. Its parts begin with lines that begin with %s, and with nothing else: first your instructions, then the messages in their order.", mark)
	fmt.Fprintf(&out, " Write the assistant's next message, and nothing but its text.%s\n", remark)
	part := func(name, text string) {
		if text = strings.TrimSpace(text); text != "" {
			fmt.Fprintf(&out, "\n%s %s\n%s\n", mark, name, text)
		}
	}
	part("instructions", req.System)
	images := 0
	for _, m := range req.Messages {
		part(string(m.Role), said(m, &images))
	}
	return out.String()
}

func markFor(req llm.Request) string {
	mark := "====="
	texts := []string{req.System}
	for _, m := range req.Messages {
		texts = append(texts, said(m, new(int)))
	}
	for _, text := range texts {
		for strings.Contains(text, mark) {
			mark += "="
		}
	}
	return mark
}

// said returns a message with what goes with it. Images are numbered through the conversation, as they are attached.
func said(m llm.Message, images *int) string {
	parts := []string{m.Text}
	for range m.Images {
		*images++
		parts = append(parts, fmt.Sprintf("(Image %d is attached here.)", *images))
	}
	for _, c := range m.Calls {
		parts = append(parts, fmt.Sprintf("(You called the tool %s with %s.)", c.Name, c.Input))
	}
	for _, r := range m.Results {
		outcome := "returned"
		if r.Failed {
			outcome = "failed"
		}
		parts = append(parts, fmt.Sprintf("(The tool %s %s:)\n%s", r.Name, outcome, r.Text))
	}
	return strings.TrimSpace(strings.Join(parts, "\n"))
}

// attached returns the images of a conversation in their order.
func attached(req llm.Request) []llm.Image {
	var all []llm.Image
	for _, m := range req.Messages {
		all = append(all, m.Images...)
	}
	return all
}
