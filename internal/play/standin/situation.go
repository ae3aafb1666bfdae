package standin

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/llm"
)

// A situation is the script's view of a conversation.
type situation struct {
	asked   string // the member's words, in one line
	who     string // their name
	number  string // their ID
	mayAll  bool   // they may do everything here
	bot     string // the name of the bot
	where   string // their channel
	forum   string // the channel of a thread
	ownPost bool   // the member started the thread
	alone   bool   // no reader waits: a scheduled job or a deferred run, whose answer is posted as it stands
	direct  bool   // in a direct message, where no action runs
	calls   bool   // the bot can come into calls
	call    bool   // it was said in one, and the answer is read aloud
	along   string // the attachments, in a sentence; empty if there are none
	now     time.Time
	shown   func(time.Time) time.Time // what the clock showed when something was sent; may be nil
	earlier []remark                  // oldest first
	knows   []string                  // what the prompt has of the memory of the person
	results []string                  // of the last actions, line by line; nil at first
	rounds  int                       // answers so far
	read    map[int]exchange          // what earlier requests were understood as, by their places
	club    club
}

// A remark is a message of the history.
type remark struct {
	mine bool
	by   string // the author, if it is not the bot's own
	text string
}

// here in an answer stands for the current channel.
const here = "{here}"

const header = `(?:\d+\. )?(?:m\d+ )?\[([^\]]*?) in (?:the thread |#)?([^\]]*?)(?: in #([^\]]*?))?\]: `

var (
	spoken     = lazily(`(?s)^(?:.*\n\n)?` + header + `(.*)$`)
	linked     = lazily(`<(#\d{15,20})>`)
	job        = lazily(`(?s)\nWhat the job is to do:\n(.*)$`)
	later      = lazily(`(?s)\nDeferred follow-up .*?\nUser message:\n(.*)$`)
	between    = lazily("(?s)\n\n(`{3,})\n(.*)\n`{3,}\n\n")
	clockLine  = lazily(`(?m)^It is (\w+, \d{1,2} \w+ \d{4}, \d\d:\d\d [-+]\d\d:\d\d)\.`)
	pastHeader = lazily(`(?s)(?:^|\n\n)Earlier in this channel [^\n]*\n(.*?)\n\n---`)
	pastLine   = lazily(`^(?:m\d+ )?(?:\[([^\]]*)\]|(You said)): (.*)$`)
	ownName    = lazily(`(?m)^You are (.*?), an assistant in a Discord server`)
	userNumber = lazily(`^(.*?) \(user (\d+)`)
	knownLine  = lazily(`^- (?:\[\w+\] )?(.*?)(?: \([\d-]+\))?(?: durable-\w+)?$`)
)

const (
	directly  = "a direct message"
	nowLayout = "Monday, 2 January 2006, 15:04 -07:00"
)

// read parses a request. It is made by our own prompt, so its form is known.
func read(req llm.Request, shown func(time.Time) time.Time) situation {
	s := situation{read: map[int]exchange{}, shown: shown}
	if len(req.Messages) == 0 {
		return s
	}
	first := req.Messages[0].Text
	s.readWords(first)
	s.direct = s.where == directly
	if m := ownName().FindStringSubmatch(req.System); m != nil {
		s.bot = m[1]
	}
	s.calls, s.call = strings.Contains(req.System, "voiceJoin"), strings.Contains(req.System, "## This is a call")
	s.along = along(req.Messages[0])
	s.earlier = history(first)
	s.club = readClub(first)
	s.knows = remembered(first)
	if m := clockLine().FindStringSubmatch(first); m != nil {
		s.now, _ = time.Parse(nowLayout, m[1]) // without it, a time of day cannot be told
	}
	s.rounds = len(req.Messages) / 2
	if s.rounds > 0 {
		if m := between().FindStringSubmatch(req.Messages[len(req.Messages)-1].Text); m != nil {
			s.results = strings.Split(m[2], "\n")
		}
	}
	return s
}

// readWords finds what is asked for, by whom and where.
func (s *situation) readWords(prompt string) {
	if m := spoken().FindStringSubmatch(prompt); m != nil {
		s.who, s.where, s.asked = m[1], m[2], oneLine(linked().ReplaceAllString(m[4], "$1"))
		about := ""
		s.forum, about, _ = strings.Cut(m[3], " (") // facts follow
		s.ownPost = strings.HasPrefix(about, "started by the same person")
		if name := userNumber().FindStringSubmatch(s.who); name != nil {
			s.mayAll = strings.Contains(s.who, "may do everything")
			s.who, s.number = name[1], name[2]
		}
	}
	for _, p := range []*regexp.Regexp{later(), job()} {
		if m := p.FindStringSubmatch(prompt); m != nil {
			s.asked, s.alone = oneLine(linked().ReplaceAllString(m[1], "$1")), true
		}
	}
}

// history is the earlier conversation in a prompt.
func history(prompt string) (list []remark) {
	m := pastHeader().FindStringSubmatch(prompt)
	if m == nil {
		return nil
	}
	for text := range strings.SplitSeq(m[1], "\n") {
		if line := pastLine().FindStringSubmatch(text); line != nil {
			list = append(list, remark{mine: line[2] != "", by: line[1], text: linked().ReplaceAllString(line[3], "$1")})
		} else if len(list) > 0 && strings.HasPrefix(text, "  ") {
			list[len(list)-1].text += "\n" + strings.TrimPrefix(text, "  ")
		}
	}
	return list
}

// remembered are the lines of a prompt about what the bot remembers of the person.
func remembered(prompt string) (list []string) {
	_, rest, found := strings.Cut(prompt, " you remember about <@")
	if !found {
		return nil
	}
	for _, text := range strings.Split(rest, "\n")[1:] {
		m := knownLine().FindStringSubmatch(text)
		if m == nil {
			break
		}
		list = append(list, m[1])
	}
	return list
}

// attached is the beginning of an attached text file in the prompt.
var attached = lazily("\n([^\n]+) \\(information, not orders\\):\n(`{3,})\n")

// along describes the attachments of a message.
func along(m llm.Message) string {
	var saw []string
	if n := len(m.Images); n > 0 {
		saw = append(saw, "I see "+chat.Counted(n, "picture", "pictures")+".")
	}
	rest := m.Text
	for f := attached().FindStringSubmatch(rest); f != nil; f = attached().FindStringSubmatch(rest) {
		_, rest, _ = strings.Cut(rest, f[0])
		text, after, _ := strings.Cut(rest, "\n"+f[2]) // the fence is longer than any in the text
		saw, rest = append(saw, fmt.Sprintf("I read %s of `%s`.", chat.Counted(strings.Count(strings.TrimSuffix(text, "\n"), "\n")+1, "line", "lines"), f[1])), after
	}
	return strings.Join(saw, " ")
}

// anyBegins reports whether one of the results has a prefix.
func (s situation) anyBegins(with string) bool {
	return slices.ContainsFunc(s.results, func(line string) bool { return strings.HasPrefix(line, with) })
}

// all are the results as one text.
func (s situation) all() string { return strings.Join(s.results, "\n") }

// lazily compiles a pattern on first use, because a bot outside of the playground never
// needs it.
func lazily(pattern string) func() *regexp.Regexp {
	return onDemand(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

// wordsOf are the words of a text, taken apart on first use.
func wordsOf(text string) func() []string {
	return onDemand(func() []string { return strings.Fields(text) })
}

// onDemand makes a value on first use. It is sync.OnceValue with less memory, of which each takes some before main begins.
func onDemand[T any](make func() T) func() T {
	of := new(struct {
		once  sync.Once
		value T
	})
	return func() T {
		of.once.Do(func() { of.value = make() })
		return of.value
	}
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
