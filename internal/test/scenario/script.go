// Package scenario plays short scenes with the whole bot: people, a scripted model,
// a Discord in memory and fake time. A scene is a text archive; its transcript says
// what the channels look like in the end. It is for tests only.
//
// The sections of a scene:
//
//	world       a layout of fakediscord
//	env         settings, NAME=value; optional. Members are served, strangers are not,
//	            and everything is answered that members say.
//	script      what happens, a line each, see below
//	transcript  all channels afterwards; or "transcript #ops" and so on, if the order
//	            between channels is not determined
//	frames      optional: what the bot showed, and when
//	requests    optional: the bot's requests to Discord
//	asked       optional: what the model was told besides the system prompt
//	tools       optional: what tools of the runtime might do, by request
//	reader      optional: what the clean reader was shown
//	posts       optional: the posts of forums, with their tags
//	context     optional: what the system prompt said about the channel
//	repo main.go
//	            and so on: the files of a project, see "project" below
//	commits     optional: the branches of plans in the project, with the subjects of their commits and the files
//	            that these change, and whether the checkout of people is as it was
//	plans       optional: the files of plans
//	pings       whom the bot's messages notified, a line for each message; without it, nobody may be
//
// The lines of a script, of which the answers of the model and of the reader may stand anywhere:
//
//	ada in #general: text       says it, and waits until nothing happens any more
//	& ada in #general: text     says it and goes on; a name with spaces is in quotes
//	ada in #general with a.txt, b.png: text
//	                            says it with files; their contents are the sections
//	                            "file a.txt" and so on, or made up
//	ada in #general with sticker wave:
//	                            the same with a sticker, "poll Lunch? / Pizza / Soup", "embed Title / text",
//	                            "voice 12" of so many seconds, "component text", or "button Press"
//	ada forwards "x" to #general
//	                            the latest message that contains x
//	ada replies: text           to the bot's latest message, where that is
//	ada replies to "x": text    to the latest message that contains x; with & both go on
//	ada starts "x" on some text starts a thread on the latest message that contains it
//	ada posts "x" in ideas: text
//	                            starts a post in a forum
//	ada renames "x" to its new name
//	                            a thread or post
//	ada edits: text             changes her last message
//	ada deletes                 deletes it
//	ada presses Stop            the latest button whose first word that is; does not wait after Stop
//	& ada presses Stop          goes on in any case
//	ada reacts 👍               to the bot's latest message
//	ada reacts 👍 to some text  to the latest message that contains it, whoever wrote it
//	ada unreacts 👍             takes it back; with & both go on
//	ada votes Soup              for that answer of the latest poll that has it
//	ada in #general runs /discoclaw stop
//	                            uses a slash command; with & goes on
//	ada asks about "x": text    chooses "Ask about this" in the menu of the latest message that contains x, and fills in the form
//	ada chooses "Redo" on "x"   in the menu of the latest message that contains x; with & goes on
//	webhook cron-00000001: text calls the webhook of a job, signed with secret-1, and waits; "with secret-2" signs with
//	                            another secret, "gets 409" expects another answer than 202, and with & both go on
//	web: Title / https://example.com / text
//	                            every web search finds this page from now on, and those on further lines
//	project sample: go test ./...
//	                            the sections "repo main.go" and so on become a git repository with one commit, and a project
//	                            with this command for plans. Such a scene needs git and go, and is skipped without them
//	repo main.go: text          a person writes a file of the project, and does not commit it
//	commit main.go: text        the same, and commits it
//	replace workspace/notes.md: old => new
//	                            a text in a file of the data directory is replaced
//	restart                     the bot ends and is started again
//	file content/a.md: text     a file in the data directory is written
//	away 20m                    the same, but it is not there for so long
//	down                        it ends, and is not there until a line says so
//	crash                       the same, but without a chance to do anything about it
//	up                          it is started again; with & goes on
//	set NAME=value              a setting, from the next start on
//	wait 3s
//	forget frames               the section "frames" begins here
//	discord: renames #a b       something changes there; see changes.go
//	fault POST /path 502        the next such request gets this answer; "lost" carries it out,
//	                            and the connection breaks before the answer
//	limit POST /path 60s        such requests are too many for so long; with & goes on
//	limit everything 20s        the next request is one too many, and none is taken for so long
//	model: text                 the model's next answer
//	model in #ops: text         its next answer in that channel
//	model as forge-drafter: text
//	                            its next answer in that role
//	reader: asked 1 2           the clean reader, who is asked whether changes follow from the words of a person, confirms these
//	reader: none                it confirms none, as it does without such a line
//	reader: text                it answers this, which may be malformed
//	reader sees: text           its latest request has this text
//	reader does not see: text   none of its requests so far has it, and there was one
//
// A model's text may hold {1.5s} for a pause, {think}, {tool Read src/main.go} and {done
// Read} for what it does on the way, {image png} for a picture that it makes, {done WebFetch a page of
// example.org} if a tool has read outside text, {tokens 90 70 5} for input, the cached part of it and output, {queued},
// {switched MODEL}, and {fail KIND} for a failure that ends it. After {call read_file} comes, up to the end or the next {call, the input of
// a tool, which is really used where a scene has a project; the next answer is the one to its result. {word} is
// the random word that the verdict of an audit repeats. In settings and script, {#general} and {@ada} stand for IDs. A further line of a
// text is indented by two spaces.
package scenario

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/script"
	"discoclaw/internal/websearch/searchtest"
)

// A step is one line of the script.
type step struct {
	line   string
	do     func(*stage) error
	people func(*People) error // the same, if people alone do it
	wait   bool                // for the bot to become idle
}

// by makes it a step of people.
func (s *step) by(f func(*People) error) {
	s.people = f
	s.do = func(st *stage) error { return f(st.People) }
}

// An answer is one of the model, in a channel, in a role or anywhere, or one of the clean reader.
type answer struct {
	channel string
	role    string
	reader  bool // it is the clean reader's
	answer  script.Answer
}

// parse reads a script.
func parse(text string) (steps []step, answers []answer, err error) {
	for _, line := range logicalLines(text) {
		if a, ok, err := parseSaid(line); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", line, err)
		} else if ok {
			answers = append(answers, a)
			continue
		}
		s, err := parseStep(line)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", line, err)
		}
		steps = append(steps, s)
	}
	return steps, answers, nil
}

// parseSaid reads a line with an answer. It is false for others.
func parseSaid(line string) (a answer, ok bool, err error) {
	var text string
	if m := modelLine.FindStringSubmatch(line); m != nil {
		a.channel, a.role, text = m[1], m[2], m[3]
	} else if m := readerLine.FindStringSubmatch(line); m != nil {
		a.reader = true
		text, err = readerSays(m[1])
	} else {
		return a, false, nil
	}
	if err == nil {
		a.answer, err = parseAnswer(text)
	}
	return a, true, err
}

// logicalLines joins indented lines to the ones above.
func logicalLines(text string) []string {
	var lines []string
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "  ") && len(lines) > 0:
			lines[len(lines)-1] += "\n" + line[2:]
		case strings.TrimSpace(line) != "":
			lines = append(lines, line)
		}
	}
	return lines
}

var (
	modelLine = regexp.MustCompile(`(?s)^model(?: in #(\S+))?(?: as (\S+))?: ?(.*)$`)
	webLine   = regexp.MustCompile(`(?s)^web: (.*)$`)
	projLine  = regexp.MustCompile(`^project (\S+): (.+)$`)
	repoLine  = regexp.MustCompile(`(?s)^(repo|commit) (\S+): (.*)$`)
	replLine  = regexp.MustCompile(`(?s)^replace (\S+): (.+) => (.*)$`)
	fileLine  = regexp.MustCompile(`(?s)^file (\S+): (.*)$`)
	sayLine   = regexp.MustCompile(`(?s)^(& )?(\w+) in ("[^"]*"|\S+)(?: with ([^:\n]+))?:(?: (.*))?$`)
	replyLine = regexp.MustCompile(`(?s)^(& )?(\w+) replies(?: to "([^"]*)")?: (.*)$`)
	forwLine  = regexp.MustCompile(`^(\w+) forwards "([^"]*)" to ("[^"]*"|\S+)$`)
	startLine = regexp.MustCompile(`^(\w+) starts "([^"]*)" on (.+)$`)
	postLine  = regexp.MustCompile(`(?s)^(\w+) posts "([^"]*)" in (\S+): (.*)$`)
	nameLine  = regexp.MustCompile(`^(\w+) renames "([^"]*)" to (.+)$`)
	postsLine = regexp.MustCompile(`^discord: (archives|unarchives|deletes|renames) "([^"]*)"(?: (.+))?$`)
	editLine  = regexp.MustCompile(`(?s)^(\w+) edits: (.*)$`)
	askLine   = regexp.MustCompile(`^(\w+) asks about "([^"]*)": (.+)$`)
	menuLine  = regexp.MustCompile(`^(& )?(\w+) chooses "([^"]*)" on "([^"]*)"$`)
	runLine   = regexp.MustCompile(`^(& )?(\w+) in ("[^"]*"|\S+) runs (/.+)$`)
	hookLine  = regexp.MustCompile(`(?s)^(& )?webhook (\S+)(?: with (\S+))?(?: gets (\d+))?: (.*)$`)
	reactLine = regexp.MustCompile(`^(& )?(\w+) (un)?reacts (\S+)(?: to (.+))?$`)
	cue       = regexp.MustCompile(`\{(fail|tool|done|image|think|tokens|switched|queued|[0-9.]+m?s)((?: [^{}]*)?)\}`)
)

func parseStep(line string) (step, error) {
	s := step{line: line, wait: true}
	words := strings.Fields(line)
	switch {
	case askLine.MatchString(line):
		m := askLine.FindStringSubmatch(line)
		s.by(func(p *People) error { return p.askAbout(m[1], m[2], m[3]) })
	case menuLine.MatchString(line):
		m := menuLine.FindStringSubmatch(line)
		s.wait = m[1] == ""
		s.by(func(p *People) error { return p.choose(m[2], m[3], m[4]) })
	case sayLine.MatchString(line):
		m := sayLine.FindStringSubmatch(line)
		s.wait = m[1] == ""
		s.by(func(p *People) error { return p.say(m[2], strings.Trim(m[3], `"`), m[5], p.attaching(m[4])...) })
	case replyLine.MatchString(line):
		m := replyLine.FindStringSubmatch(line)
		s.wait = m[1] == ""
		s.by(func(p *People) error { return p.reply(m[2], m[3], m[4]) })
	case forwLine.MatchString(line):
		m := forwLine.FindStringSubmatch(line)
		s.by(func(p *People) error { return p.forward(m[1], m[2], strings.Trim(m[3], `"`)) })
	case startLine.MatchString(line):
		m := startLine.FindStringSubmatch(line)
		s.by(func(p *People) error { return p.startThread(m[1], m[2], m[3]) })
	case postLine.MatchString(line):
		m := postLine.FindStringSubmatch(line)
		s.by(func(p *People) error { return p.startPost(m[1], m[3], m[2], m[4]) })
	case postsLine.MatchString(line):
		m := postsLine.FindStringSubmatch(line)
		s.by(func(p *People) error { return p.changePost(m[1], m[2], m[3]) })
	case nameLine.MatchString(line):
		m := nameLine.FindStringSubmatch(line)
		s.by(func(p *People) error { return p.world.RenameThread(m[1], m[2], m[3]) })
	case runLine.MatchString(line):
		m := runLine.FindStringSubmatch(line)
		s.wait = m[1] == ""
		s.by(func(p *People) error { return p.run(m[2], strings.Trim(m[3], `"`), m[4]) })
	case editLine.MatchString(line):
		m := editLine.FindStringSubmatch(line)
		s.by(func(p *People) error { return p.edit(m[1], m[2]) })
		s.wait = false
	case len(words) == 2 && words[1] == "deletes":
		s.by(func(p *People) error { return p.remove(words[0]) })
		s.wait = false
	case len(words) == 4 && words[0] == "&" && words[2] == "presses":
		s.by(func(p *People) error { return p.press(words[1], words[3]) })
		s.wait = false
	case len(words) == 3 && words[1] == "presses":
		s.by(func(p *People) error { return p.press(words[0], words[2]) })
		s.wait = words[2] != "Stop"
	case len(words) == 3 && words[1] == "votes":
		s.by(func(p *People) error { return p.vote(words[0], words[2]) })
	case reactLine.MatchString(line):
		m := reactLine.FindStringSubmatch(line)
		s.wait = m[1] == ""
		s.by(func(p *People) error { return p.react(m[2], m[3] == "", chat.Emoji(m[4]), m[5]) })
	case hookLine.MatchString(line):
		m := hookLine.FindStringSubmatch(line)
		s.wait = m[1] == ""
		s.do = func(st *stage) error {
			return st.call(m[2], cmp.Or(m[3], "secret-1"), cmp.Or(m[4], "202"), m[5])
		}
	case fileLine.MatchString(line):
		m := fileLine.FindStringSubmatch(line)
		s.do = func(st *stage) error { return st.write(m[1], m[2]) }
	case readerSees.MatchString(line):
		m := readerSees.FindStringSubmatch(line)
		s.do = func(st *stage) error { return st.sees(m[2]) }
		if m[1] != "sees" {
			s.do = func(st *stage) error { return st.seesNo(m[2]) }
		}
		s.wait = false
	case projLine.MatchString(line):
		m := projLine.FindStringSubmatch(line)
		s.do = func(st *stage) error { return st.startProject(m[1], m[2]) }
		s.wait = false
	case repoLine.MatchString(line):
		m := repoLine.FindStringSubmatch(line)
		s.do = func(st *stage) error { return st.project.write(m[2], m[3]+"\n", m[1] == "commit") }
		s.wait = false
	case replLine.MatchString(line):
		m := replLine.FindStringSubmatch(line)
		s.do = func(st *stage) error { return st.replace(m[1], m[2], m[3]) }
		s.wait = false
	case webLine.MatchString(line):
		pages, err := parsePages(webLine.FindStringSubmatch(line)[1])
		if err != nil {
			return s, err
		}
		s.do = func(st *stage) error { st.web.Finds(pages...); return nil }
		s.wait = false
	case line == "forget frames":
		s.do = func(st *stage) error { st.forgetFrames(); return nil }
		s.wait = false
	case line == "restart":
		s.do = func(st *stage) error { st.stop(); st.start(); return nil }
	case line == "down":
		s.do = func(st *stage) error { st.stop(); st.stop = func() {}; return nil }
		s.wait = false
	case line == "crash":
		s.do = (*stage).crash
		s.wait = false
	case line == "up", line == "& up":
		s.do = func(st *stage) error { st.start(); return nil }
		s.wait = line == "up"
	case len(words) == 2 && words[0] == "away":
		d, err := time.ParseDuration(words[1])
		if err != nil {
			return s, err
		}
		s.do = func(st *stage) error { st.stop(); time.Sleep(d); st.start(); return nil }
	case words[0] == "set" && strings.Contains(line, "="):
		name, value, _ := strings.Cut(strings.TrimPrefix(line, "set "), "=")
		s.do = func(st *stage) error { st.settings[name] = value; return nil }
		s.wait = false
	case words[0] == "discord:" && len(words) > 1:
		if err := s.change(words[1:]); err != nil {
			return s, err
		}
	case len(words) == 2 && words[0] == "wait":
		d, err := time.ParseDuration(words[1])
		if err != nil {
			return s, err
		}
		s.by(func(*People) error { time.Sleep(d); return nil })
		s.wait = false
	case len(words) == 4 && words[0] == "fault":
		s.do = func(st *stage) error { return st.fault(words[1]+" "+words[2], words[3]) }
	case len(words) == 3 && words[0] == "limit" && words[1] == "everything":
		d, err := time.ParseDuration(words[2])
		if err != nil {
			return s, err
		}
		s.do = func(st *stage) error { st.limitEverything(d); return nil }
	case len(words) == 5 && words[0] == "&" && words[1] == "limit":
		s, err := parseStep(line[len("& "):])
		s.wait = false
		return s, err
	case len(words) == 4 && words[0] == "limit":
		d, err := time.ParseDuration(words[3])
		if err != nil {
			return s, err
		}
		s.do = func(st *stage) error { st.limit(words[1]+" "+words[2], d); return nil }
	default:
		return s, errors.New("no such line; see the package comment")
	}
	return s, nil
}

// parsePages reads what a web search finds, a page on each line.
func parsePages(text string) (pages []searchtest.Page, err error) {
	for _, line := range strings.Split(text, "\n") {
		parts := strings.SplitN(line, " / ", 3)
		if len(parts) != 3 {
			return nil, errors.New("a page is written Title / address / text")
		}
		pages = append(pages, searchtest.Page{Title: parts[0], URL: parts[1], Text: parts[2]})
	}
	return pages, nil
}

const callCue = "{call "

// parseAnswer reads the cues and the calls of tools in a model's text.
func parseAnswer(text string) (script.Answer, error) {
	parts := strings.Split(text, callCue)
	steps, err := parseCues(parts[0])
	for i, part := range parts[1:] {
		name, input, ok := strings.Cut(part, "}")
		if !ok {
			return nil, errors.New("a call is written {call read_file}, with its input behind it")
		}
		steps = append(steps, script.Call(fmt.Sprintf("call-%d", i+1), name, strings.TrimSpace(input)))
	}
	return steps, err
}

// parseCues reads the cues in a text.
func parseCues(text string) (script.Answer, error) {
	var steps script.Answer
	at := 0
	for _, m := range cue.FindAllStringSubmatchIndex(text, -1) {
		if m[0] > at {
			steps = append(steps, script.Text(text[at:m[0]]))
		}
		at = m[1]
		step, err := parseCue(text[m[2]:m[3]], strings.TrimSpace(text[m[4]:m[5]]))
		if err != nil {
			return nil, err
		}
		steps = append(steps, step)
	}
	if at < len(text) {
		steps = append(steps, script.Text(text[at:]))
	}
	return steps, nil
}

func parseCue(word, rest string) (script.Step, error) {
	switch word {
	case "fail":
		return script.Fail(&llm.Error{Kind: llm.Kind(rest), Runtime: "script", Host: "models.example"}), nil
	case "tool":
		name, about, _ := strings.Cut(rest, " ")
		return script.StartTool(name, about), nil
	case "done":
		name, outside, _ := strings.Cut(rest, " ")
		return script.Event(llm.ToolEnd{Name: name, Outside: outside}), nil
	case "tokens":
		var u llm.Usage
		_, err := fmt.Sscan(rest, &u.Input, &u.Cached, &u.Output)
		return script.Event(u), err
	case "switched":
		return script.Event(llm.Switched{To: llm.Choice{Model: rest}, Why: &llm.Error{Kind: llm.Unavailable}}), nil
	case "queued":
		return script.Event(llm.Queued{}), nil
	case "image":
		return script.Image("image/"+rest, []byte(smallPicture)), nil
	case "think":
		return script.Think(), nil
	}
	d, err := time.ParseDuration(word)
	return script.Pause(d), err
}
