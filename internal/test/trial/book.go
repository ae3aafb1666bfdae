package trial

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"discoclaw/internal/actions"
	"discoclaw/internal/disk/atomicfile"
	"discoclaw/internal/llm"
	"discoclaw/internal/test/scenario"
	"discoclaw/internal/turn"
)

// A book collects the results of the requests.
type book struct {
	figures    []Figure
	transcript strings.Builder
	recorded   strings.Builder
	last       map[string]string // the text of the latest call in each channel
}

// A Figure holds the measurements of one request.
type Figure struct {
	Request      string `json:"request"`
	Calls        int    `json:"calls"`
	Bytes        int    `json:"bytes"`        // of all calls, with their tools and history
	Tools        int    `json:"tools"`        // bytes of the tools among these
	First        []int  `json:"first"`        // bytes of the first call of each turn, without history
	AfterFailure []int  `json:"afterFailure"` // bytes of each call that tells of a failure, without history
	Same         int    `json:"same"`         // bytes of the common prefix with the previous call in the channel
	Of           int    `json:"of"`           // bytes of the calls that have a previous one
	Details      int    `json:"details"`      // types whose details were in a prompt
	Used         int    `json:"used"`         // those of them that were used afterwards
	Types        int    `json:"types"`        // types that were used
	Dumps        int    `json:"dumps"`        // Done lines with a raw result
	Done         int    `json:"done"`
	Failed       int    `json:"failed"`
	Asked        int    `json:"asked"`   // held for approval
	Blocked      int    `json:"blocked"` // blocks of types that are off or unknown
	Reader       int    `json:"reader"`  // calls of the clean reader, which nothing above counts
	Cards        Cards  `json:"cards"`
	Fillers      int    `json:"fillers"` // see fillers
}

// add measures a request and describes its effects.
func (b *book) add(k *kit, r request, calls []call, reports []turn.Report, before, after snapshot, refused []string) {
	first, _, _ := strings.Cut(r.text, "\n")
	var answers []scenario.Answer
	for _, c := range calls {
		answers = append(answers, scenario.Answer{Text: k.reference(c.answer.text), Reader: c.ofReader()})
	}
	fmt.Fprintf(&b.recorded, "%s\n", k.reference(r.recorded(answers)))
	calls, readers := apart(calls)
	f := Figure{
		Request: k.reference(first), Calls: len(calls), Dumps: dumps(before, after), Reader: len(readers),
		Cards: cards(before, after, readers), Fillers: fillers(calls, reports, before, after),
	}
	b.measure(&f, calls)
	f.explained(calls)
	for _, report := range reports {
		f.outcomes(report)
	}
	b.figures = append(b.figures, f)
	b.describe(len(b.figures), r, calls, readers, before, after, refused)
}

// apart separates the calls of the clean reader from the others.
func apart(calls []call) (others, readers []call) {
	for _, c := range calls {
		if c.ofReader() {
			readers = append(readers, c)
		} else {
			others = append(others, c)
		}
	}
	return others, readers
}

// historySection is the name of the history in a prompt's sections.
const historySection = "earlier conversation"

// measure measures the sizes of calls and their common prefixes.
func (b *book) measure(f *Figure, calls []call) {
	seen := map[string]bool{}
	for _, c := range calls {
		size := c.req.Size()
		bare := c.req
		bare.Tools = nil
		f.Bytes, f.Tools = f.Bytes+size, f.Tools+size-bare.Size()
		for _, s := range c.req.Sections {
			if s.Name == historySection {
				size -= s.Bytes
			}
		}
		if !seen[c.turn] {
			f.First = append(f.First, size)
		} else if tellsOfFailure(c.req) {
			f.AfterFailure = append(f.AfterFailure, size)
		}
		seen[c.turn] = true
		text := flat(c.req)
		if last, ok := b.last[c.channel]; ok {
			f.Same += common(last, text)
			f.Of += len(text)
		}
		b.last[c.channel] = text
	}
}

// flat is the whole request as one text, in the order in which a provider caches it.
func flat(req llm.Request) string {
	text := req.System
	for _, t := range req.Tools {
		text += "\n\n" + t.Name + "\n" + t.Description + "\n" + string(t.Schema)
	}
	for _, m := range req.Messages {
		text += "\n\n" + string(m.Role) + "\n" + m.Text
		for _, c := range m.Calls {
			text += "\n" + c.Name + " " + string(c.Input)
		}
		for _, r := range m.Results {
			text += "\n" + r.Name + " " + r.Text
		}
	}
	return text
}

// common is the length of the common prefix of two texts.
func common(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

var failedLine = regexp.MustCompile(`(?m)^(Failed|Unreadable block|Unreadable call|Ignored): `)

func tellsOfFailure(req llm.Request) bool {
	if len(req.Messages) == 1 {
		return false
	}
	last := req.Messages[len(req.Messages)-1]
	return failedLine.MatchString(last.Text) || slices.ContainsFunc(last.Results, func(r llm.ToolResult) bool { return failedLine.MatchString(r.Text) })
}

var (
	detail    = regexp.MustCompile(`(?m)^([a-z][A-Za-z0-9]*): .*\n` + regexp.QuoteMeta(actions.BlockOpen))
	askedType = regexp.MustCompile(`"type"\s*:\s*"([A-Za-z0-9]+)"`)
)

// explained counts the types with details in the prompts, and those that the model used afterwards.
func (f *Figure) explained(calls []call) {
	shown, used, types := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, c := range calls {
		for _, m := range detail.FindAllStringSubmatch(flat(c.req), -1) {
			shown[m[1]] = true
		}
		for _, name := range c.askedFor() {
			types[name] = true
			if shown[name] {
				used[name] = true
			}
		}
	}
	f.Details, f.Used, f.Types = len(shown), len(used), len(types)
}

// askedFor returns the types of actions that the answer asks for, in blocks or by calls.
func (c call) askedFor() (names []string) {
	for _, m := range askedType.FindAllStringSubmatch(c.answer.said, -1) {
		names = append(names, m[1])
	}
	for _, t := range c.answer.calls {
		if !strings.Contains(t.Name, "_") { // as other tools have in their names
			names = append(names, t.Name)
		}
	}
	return names
}

// outcomes counts the outcomes of a turn's actions.
func (f *Figure) outcomes(r turn.Report) {
	for _, round := range r.Rounds {
		f.Blocked += len(round.Stripped)
		f.Failed += len(round.Malformed)
		for _, o := range round.Outcomes {
			switch {
			case o.Err != nil:
				f.Failed++
			case o.Pending != nil:
				f.Asked++
			default:
				f.Done++
			}
		}
	}
}

// longLine is the length in characters above which a Done line counts as a dump.
const longLine = 200

var resultLine = regexp.MustCompile(`^(?:-# )?(Done|Failed|Asked|Ignored|Blocked): `)

// dumps counts the raw results in new or changed messages of the bot.
func dumps(before, after snapshot) int {
	n := 0
	for id, text := range after.botMessages {
		if before.botMessages[id] != text {
			n += dumpsIn(text)
		}
	}
	return n
}

func dumpsIn(text string) int {
	n, lines := 0, strings.Split(text, "\n")
	for i, line := range lines {
		m := resultLine.FindStringSubmatch(line)
		if m == nil || m[1] != "Done" {
			continue
		}
		goesOn := i+1 < len(lines) && lines[i+1] != "" && !strings.HasPrefix(lines[i+1], "-# ") && !resultLine.MatchString(lines[i+1])
		if goesOn || utf8.RuneCountInString(line) > longLine {
			n++
		}
	}
	return n
}

// describe writes the effects of a request for the judge.
func (b *book) describe(number int, r request, calls, readers []call, before, after snapshot, refused []string) {
	w := &b.transcript
	fmt.Fprintf(w, "## Request %d\n\n", number)
	for _, remark := range r.remarks {
		fmt.Fprintf(w, "Judge: %s\n\n", remark)
	}
	write := func(mark string, lines []string) {
		for _, line := range lines {
			fmt.Fprintf(w, "    %s%s\n", mark, strings.ReplaceAll(strings.TrimRight(line, "\n"), "\n", "\n    "))
		}
	}
	write("", strings.Split(strings.TrimRight(r.text, "\n"), "\n"))
	fmt.Fprintf(w, "\nCalls: %s\n\n", listed(calls))
	if len(readers) > 0 {
		fmt.Fprintf(w, "Reader: %s\n\n", listed(readers))
	}
	write("could not: ", refused)
	write("", without(after.said, before.said))
	gone := slices.DeleteFunc(without(before.said, after.said), func(line string) bool { return stillThere(line, after.said) })
	write("gone: ", gone)
	write("- ", without(before.server, after.server))
	write("+ ", without(after.server, before.server))
	fmt.Fprintln(w)
}

// listed are the number and the answers of calls.
func listed(calls []call) string {
	text := strconv.Itoa(len(calls)) + " "
	var names []string
	for _, c := range calls {
		names = append(names, c.name("answer.md"))
	}
	return text + strings.Join(names, " ")
}

// stillThere reports whether a message is still there with other notes, such as a new reaction.
func stillThere(line string, said []string) bool {
	bare := strings.TrimRight(line, "\n")
	if at := strings.LastIndex(bare, " ["); at >= 0 && strings.HasSuffix(bare, "]") {
		bare = bare[:at]
	}
	return slices.ContainsFunc(said, func(s string) bool { return strings.HasPrefix(s, bare) })
}

var snowflake = regexp.MustCompile(`\b[0-9]{17,20}\b`)

// reference puts {#channel} and {@member} in place of IDs, for a replay with other IDs.
func (k *kit) reference(text string) string {
	return snowflake.ReplaceAllStringFunc(text, func(id string) string {
		if ch, ok := k.world.Channel(id); ok {
			return "{#" + ch.Name + "}"
		}
		if who, ok := k.world.Member(id); ok {
			return "{@" + who.Name + "}"
		}
		return id
	})
}

// write writes the files at the end of a trial.
func (b *book) write(dir string) error {
	figures, err := json.MarshalIndent(b.figures, "", "  ")
	if err != nil {
		return err
	}
	for name, text := range map[string]string{"figures.json": string(figures) + "\n", "transcript.md": b.transcript.String(), "recorded.txt": b.recorded.String()} {
		if err := atomicfile.WritePath(filepath.Join(dir, name), 0o644, atomicfile.Text(text)); err != nil {
			return fmt.Errorf("keep the trial: %w", err)
		}
	}
	return nil
}
