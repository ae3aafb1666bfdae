package play

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/flow"
)

// A terminal lets one person at a keyboard be several people on a server.
type terminal struct {
	world *fakediscord.World
	in    *bufio.Scanner
	ready chan struct{} // closed when the bot is there
	over  chan chat.MessageID

	mu    sync.Mutex
	out   io.Writer
	shown map[chat.MessageID]string // what was last printed of the bot's messages
	first bool                      // the bot has not been there yet
}

func newTerminal(world *fakediscord.World, in io.Reader, out io.Writer) *terminal {
	t := &terminal{
		world: world,
		in:    bufio.NewScanner(in),
		ready: make(chan struct{}),
		over:  make(chan chat.MessageID, 1),
		out:   out,
		shown: map[chat.MessageID]string{},
		first: true,
	}
	t.in.Buffer(nil, 1<<20)
	world.Watch(t.see)
	return t
}

func (t *terminal) online() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.first {
		t.first = false
		close(t.ready)
	}
}

// answered is told which message a turn that is over was about. One message at a
// time is waited for, so what finds no room is not missed.
func (t *terminal) answered(over flow.Turn) {
	select {
	case t.over <- over.Message.ID:
	default:
	}
}

func (t *terminal) printf(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	fmt.Fprintf(t.out, format, args...)
}

const welcomeText = `DiscoClaw's playground: the real bot on a Discord that exists only here.
%s
You are the owner of a server with #general, #ops and #ideas. Say something, or:
  /as NAME     speak as you (the owner), sam (may not write in #ops) or zed (a stranger to the bot)
  /in CHANNEL  go to another channel
  /quit        leave

%s

`

// converse is the loop of the conversation.
func (t *terminal) converse(ctx context.Context, demo bool) {
	speaker := "No model is set up, so a script speaks for the bot (set OPENAI_API_KEY or OPENAI_BASE_URL for a real one)."
	hints := suggestions
	if !demo {
		speaker, hints = "A real model speaks for the bot; what it is asked may cost money.", ""
	}
	t.printf(welcomeText, speaker, hints)
	select {
	case <-t.ready:
	case <-ctx.Done():
		return
	}
	lines := t.lines(ctx)
	who, where := "you", "general"
	for {
		t.printf("%s in #%s> ", who, where)
		select {
		case <-ctx.Done():
			t.printf("\n")
			return
		case line, more := <-lines:
			if !more || !t.obey(ctx, line, &who, &where) {
				t.printf("\n")
				return
			}
		}
	}
}

// lines reads the input without keeping the end of ctx waiting. The goroutine that
// sits in a read cannot be woken; it ends with the process.
func (t *terminal) lines(ctx context.Context) <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		for t.in.Scan() {
			select {
			case lines <- strings.TrimSpace(t.in.Text()):
			case <-ctx.Done():
				return
			}
		}
	}()
	return lines
}

// obey does what a line says. It returns false when that is to leave.
func (t *terminal) obey(ctx context.Context, line string, who, where *string) bool {
	command, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	switch command {
	case "":
	case "/quit", "/exit":
		return false
	case "/as":
		if m, ok := t.world.Member(rest); !ok || m.Bot {
			t.printf("There is nobody called %q; try you, sam or zed.\n", rest)
		} else {
			*who = m.Name
		}
	case "/in":
		if ch, ok := t.world.Channel(rest); !ok {
			t.printf("There is no channel %q.\n", rest)
		} else {
			*where = ch.Name
		}
	default:
		if strings.HasPrefix(command, "/") {
			t.printf("There is no command %s; there are /as, /in and /quit.\n", command)
			break
		}
		t.say(ctx, *who, *where, line)
	}
	return true
}

// say posts a message and waits for the answer, if there will be one.
func (t *terminal) say(ctx context.Context, who, where, text string) {
	m, err := t.world.Say(who, where, text)
	if err != nil {
		t.printf("Discord would not let you: %v.\n", err)
		return
	}
	if who == "zed" {
		t.printf("(The bot does not know zed, so it says nothing.)\n")
		return
	}
	for {
		select {
		case <-ctx.Done():
			return
		case id := <-t.over:
			if id == m.ID {
				return
			}
		}
	}
}

// see prints what the bot does, as it happens.
func (t *terminal) see(e fakediscord.Event) {
	switch e.Name {
	case "MESSAGE_CREATE", "MESSAGE_UPDATE":
		t.seeMessage(e)
	case "MESSAGE_REACTION_ADD":
		var r struct {
			Message chat.MessageID `json:"message_id"`
			Emoji   struct{ Name string }
		}
		if json.Unmarshal(e.Data, &r) == nil {
			m, _ := t.world.Message(r.Message)
			t.printf("  %s DiscoClaw reacted with %s to “%s”\n", t.place(e.Channel), r.Emoji.Name, chat.Clip(m.Content, 40))
		}
	case "THREAD_CREATE":
		t.printf("  a thread was started: %s\n", t.place(e.Channel))
	}
}

// seeMessage prints a message of the bot once it is finished: while it can still be
// stopped, it is not.
func (t *terminal) seeMessage(e fakediscord.Event) {
	var ref struct{ ID chat.MessageID }
	if json.Unmarshal(e.Data, &ref) != nil {
		return
	}
	m, ok := t.world.Message(ref.ID)
	author, known := t.world.Member(string(m.Author))
	switch {
	case !ok || !known || !author.Bot || len(m.Components) > 0:
		return
	case m.Type == fakediscord.PinNotice:
		t.printf("  %s DiscoClaw pinned a message\n", t.place(e.Channel))
		return
	case m.Type != fakediscord.DefaultMessage && m.Type != fakediscord.ReplyMessage:
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.shown[m.ID] == m.Content {
		return
	}
	t.shown[m.ID] = m.Content
	fmt.Fprintf(t.out, "  %s DiscoClaw: %s\n", t.place(e.Channel), t.readable(m.Content))
}

var mention = regexp.MustCompile(`<#(\d+)>`)

// readable is a message as it stands below its first line, with names for the
// channels it mentions.
func (t *terminal) readable(text string) string {
	text = mention.ReplaceAllStringFunc(text, func(m string) string {
		return t.place(chat.ChannelID(strings.Trim(m, "<#>")))
	})
	return strings.ReplaceAll(strings.ReplaceAll(text, "\n", "\n    "), "\n    \n", "\n\n")
}

func (t *terminal) place(id chat.ChannelID) string {
	ch, _ := t.world.Channel(string(id))
	return "#" + ch.Name
}
