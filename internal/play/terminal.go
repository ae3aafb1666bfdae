package play

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/play/standin"
)

// Talk runs the playground in a terminal until the input or ctx ends.
func Talk(ctx context.Context, o Options) (err error) {
	t := &terminal{
		in:      bufio.NewScanner(o.In),
		over:    make(chan chat.MessageID, 1),
		reacted: make(chan struct{}, 1),
		out:     o.Out,
		shown:   map[chat.MessageID]string{},
	}
	t.in.Buffer(nil, 1<<20)
	p, err := open(o, t.hear)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	t.world = p.world
	return p.run(ctx, func(ctx context.Context) error {
		t.converse(ctx, p, o.Errs)
		return t.failure()
	})
}

// A terminal lets one person at a keyboard act as several members.
type terminal struct {
	world   *fakediscord.World
	in      *bufio.Scanner
	over    chan chat.MessageID
	reacted chan struct{} // has room for one: a button had an effect

	mu      sync.Mutex
	out     io.Writer
	wrong   error                     // the first read or write error
	shown   map[chat.MessageID]string // what was last printed of the bot's messages
	speaker chat.UserID               // the current member
	pressed chat.MessageID            // the message whose button was pressed last
}

// hear signals the message of a finished turn. The terminal waits for one message at a
// time, so a signal without room is not needed.
func (t *terminal) hear(_ string, what any) {
	over, is := what.(record)
	if !is || over.Decided {
		return
	}
	select {
	case t.over <- over.message:
	default:
	}
}

func (t *terminal) printf(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.print(fmt.Sprintf(format, args...))
}

func (t *terminal) failure() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.wrong
}

// print is called with the lock held. Control characters are made visible, since a terminal
// would obey them.
func (t *terminal) print(text string) {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return '␛'
		}
		return r
	}, text)
	if _, err := io.WriteString(t.out, text); err != nil {
		t.wrong = err
	}
}

const welcomeText = `DiscoClaw's playground: the real bot on a Discord that exists only here.
%s
You are the owner of a server with #general, #random, #ops and more. Say something, or:
  /as NAME     speak as you (the owner), sam (may not write in #ops) or zed (a stranger to the bot)
  /in CHANNEL  go to another channel
  /press NAME  press a button below a message
  /discoclaw   what the bot does without a model: /discoclaw help lists it
  /quit        leave

%s

`

// converse is the loop of the conversation.
func (t *terminal) converse(ctx context.Context, p *playground, errs io.Writer) {
	t.printf(welcomeText, p.speakerHere(), standin.Suggestions())
	select {
	case <-p.online:
	case <-ctx.Done():
		return
	}
	p.giveAll(ctx, errs)
	p.world.Watch(t.see)
	lines := t.lines(ctx)
	who, where := "you", chat.ChannelID("general")
	if ch, found := t.world.Channel("general"); found {
		where = ch.ID // the name may change
	}
	t.speakAs(who)
	for {
		t.printf("%s in %s> ", who, t.place(where))
		select {
		case <-ctx.Done():
			t.printf("\n")
			return
		case line, more := <-lines:
			if !more || t.failure() != nil || !t.obey(ctx, line, &who, &where) {
				t.printf("\n")
				return
			}
		}
	}
}

// lines reads the input without delaying the end of ctx. The goroutine cannot be woken
// from a read; it ends with the process.
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
		if err := t.in.Err(); err != nil && ctx.Err() == nil {
			t.mu.Lock()
			defer t.mu.Unlock()
			t.wrong = fmt.Errorf("read what you typed: %w", err)
		}
	}()
	return lines
}

// obey executes a line. It returns false to leave.
func (t *terminal) obey(ctx context.Context, line string, who *string, where *chat.ChannelID) bool {
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
			t.speakAs(m.Name)
		}
	case "/in":
		if ch, ok := t.world.Channel(rest); !ok {
			t.printf("There is no channel %q.\n", rest)
		} else {
			*where = ch.ID
		}
	case "/press":
		t.press(ctx, *who, *where, rest)
	case "/discoclaw":
		t.use(ctx, *who, *where, line)
	default:
		if strings.HasPrefix(command, "/") {
			t.printf("There is no command %s; there are /as, /in, /press, /discoclaw and /quit.\n", command)
			break
		}
		t.say(ctx, *who, *where, line)
	}
	return true
}

// say posts a message and waits for the answer, if there will be one.
func (t *terminal) say(ctx context.Context, who string, where chat.ChannelID, text string) {
	m, err := t.world.Say(who, string(where), text)
	if err != nil {
		t.printf("Discord would not let you: %v.\n", err)
		return
	}
	if m, ok := t.world.Member(who); ok && isStranger(m) {
		t.printf("(The bot does not know %s, so it says nothing.)\n", who)
		return
	}
	t.await(ctx, m.ID)
}

// use uses the bot's slash command, and waits for the answer.
func (t *terminal) use(ctx context.Context, who string, where chat.ChannelID, line string) {
	_, err := t.world.Run(who, string(where), line)
	switch {
	case errors.Is(err, fakediscord.ErrNoAnswer):
		t.printf("(The bot does not answer %s.)\n", who)
	case err != nil:
		t.printf("Discord would not let you: %v.\n", err)
	default:
		t.await(ctx, "") // it has no message
	}
}

// await waits until the turn of a message has ended.
func (t *terminal) await(ctx context.Context, said chat.MessageID) {
	for {
		select {
		case <-ctx.Done():
			return
		case id := <-t.over:
			if id == said {
				return
			}
		}
	}
}
