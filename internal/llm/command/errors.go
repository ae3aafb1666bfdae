package command

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"discoclaw/internal/chat"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/transport"
)

// A fault is why there is no whole answer.
type fault struct {
	kind   llm.Kind
	told   string // by the program, for the log
	remedy string // if it is another one than the kind's
}

// newFault returns the fault that a program tells of in one text or several, some of which may be empty.
func newFault(told ...string) *fault {
	told = slices.DeleteFunc(told, func(s string) bool { return s == "" })
	text := cmp.Or(strings.Join(told, ": "), "it does not say why")
	return &fault{kind: cmp.Or(byText(text), llm.Refused), told: text}
}

var (
	errNoWorkspace = errors.New("there is no workspace")
	errNoRoot      = errors.New("there is no folder to work in")
)

// unprepared is the fault of a program whose folder or files are missing.
func unprepared(err error) *fault {
	why := &fault{kind: llm.Unavailable, told: err.Error()}
	switch {
	case errors.Is(err, errNoRoot):
		why.kind = llm.NoFolder
	case errors.Is(err, errNoWorkspace):
		why.remedy = "see that WORKSPACE_CWD names a folder that the bot may enter"
	}
	return why
}

// notStarted is the fault of a program that could not be started.
func (c *child) notStarted(err error) *fault {
	t := c.runtime.dialect.traits()
	why := &fault{kind: llm.Unavailable, told: err.Error()}
	switch {
	case errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist):
		why.remedy = fmt.Sprintf("install %s, or set %s to the path of its program", t.product, t.bin)
	case errors.Is(err, fs.ErrPermission):
		why.remedy = fmt.Sprintf("see that %s names a program that the bot may run", t.bin)
	}
	return why
}

// onlyOperators is what members read of what they cannot change, whatever its kind.
const onlyOperators = "I can't use my language model right now, and only the people who run me can change that"

// describe makes an error of a fault.
func (c *child) describe(why *fault, model string) *llm.Error {
	e := &llm.Error{Kind: why.kind, Runtime: string(c.runtime.Kind), Remedy: cmp.Or(why.remedy, c.remedy(why, model)),
		Err: errors.New(c.hide(why.told))}
	if why.remedy != "" {
		e.Members = onlyOperators
	}
	return e
}

// remedy names what to change. Empty means the kind's own.
func (c *child) remedy(why *fault, model string) string {
	t := c.runtime.dialect.traits()
	switch {
	case why.kind == llm.Unauthorized && c.runtime.Key == "":
		return fmt.Sprintf("run %s once on this machine and log in, or set %s", t.login, t.keys[0])
	case why.kind == llm.Unauthorized:
		return "check " + t.keys[0]
	case why.kind == llm.NoCredit:
		return "check the plan of the account that " + t.product + " uses"
	case why.kind == llm.NoSuchModel && model != "":
		return fmt.Sprintf("choose another one than %q in %s", chat.Clip(model, 100), t.models)
	case why.kind == llm.Refused && transport.Mentions(why.told, "unknown option", "unknown argument", "unexpected argument"):
		return fmt.Sprintf("update %s: it does not know an option that it is called with", t.product)
	}
	return ""
}

// hide prepares a program's text for the log: without the key, without the prompt, and short. The key is hidden before
// the text is clipped: half of one would not be found.
func (c *child) hide(told string) string {
	if c.runtime.Key != "" {
		told = strings.ReplaceAll(told, c.runtime.Key, "[redacted]")
	}
	if told = chat.Clip(llm.Redact(chat.OneLine(told)), 200); quotes(told, string(c.call.stdin)) {
		return "its message quotes the prompt and is not shown"
	}
	return told
}

// quotes reports whether a text has some two dozen characters in a row that stand in another.
func quotes(text, other string) bool {
	const enough = 24
	for i := 0; i+enough <= len(text); i++ {
		if strings.Contains(other, text[i:i+enough]) {
			return true
		}
	}
	return false
}

// diagnosis returns the line of the program's stderr that says most: the first with the name of a fault in it, or else
// the first. Programs greet people there.
func (c *child) diagnosis() string {
	all := c.errors.lines()
	if len(all) == 0 {
		return ""
	}
	for _, line := range all {
		if byText(line) != "" || transport.Mentions(line, "error", "fail", "invalid", "denied", "fatal", "panic") {
			return line
		}
	}
	return all[0]
}

// phrases are how programs, and the servers behind them, say what went wrong. They are looked for in messages that are
// known to be about a fault, never in an answer. The first that fits counts.
var phrases = []struct {
	kind llm.Kind
	says []string
}{
	{llm.Cut, []string{"max_output_tokens", "output token maximum", "max_tokens", "turn limit", "maximum session turns"}},
	{llm.Blocked, []string{"content_filter", "usage policy", "usage policies", "prohibited_content", "blocked by safety"}},
	{llm.TooLong, []string{"prompt is too long", "context window", "context length", "context_length_exceeded", "input token count"}},
	{llm.NoCredit, []string{"credit balance", "insufficient_quota", "out of credits", "credits are depleted", "billing_error", "no credit"}},
	{llm.RateLimited, []string{"rate limit", "rate_limit", "usage limit", "hit your limit", "too many requests", "resource_exhausted", "exhausted your"}},
	{llm.NoSuchModel, []string{"issue with the selected model", "model_not_found", "not_found_error", "you do not have access to it", "model is not supported", "is not found for api version", "modelnotfounderror"}},
	{llm.Unauthorized, []string{
		"invalid api key", "api key not valid", "incorrect api key", "invalid_api_key", "api_key_invalid", "/login", "not logged in", "codex login",
		"authentication_error", "authentication_failed", "unauthorized", "unauthenticated", "oauth token", "set an auth method", "fatalauthenticationerror",
	}},
	{llm.Unavailable, []string{
		"overloaded", "server_error", "internal server error", "service unavailable", "bad gateway", "stream disconnected", "econnrefused", "econnreset",
		"enotfound", "etimedout", "fetch failed", "connection error", "high demand",
	}},
	{llm.Refused, []string{"unknown option", "unknown argument", "unexpected argument", "invalid_request", "invalid_argument"}},
}

// statuses are how they quote the status of a response.
var statuses = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:api error|status(?: code)?|code)"?[: ]+(\d{3})\b`)
})

// byText returns the kind of a message about a fault, or none.
func byText(told string) llm.Kind {
	for _, p := range phrases {
		if transport.Mentions(told, p.says...) {
			return p.kind
		}
	}
	if found := statuses().FindStringSubmatch(told); found != nil {
		if status, _ := strconv.Atoi(found[1]); status >= 400 {
			return transport.ByStatus(status)
		}
	}
	return ""
}
