package page_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
	"github.com/google/go-cmp/cmp"
)

// exampleCommands has every kind of option.
func exampleCommands() []object {
	option := func(name, summary string, required, suggests bool, choices ...string) object {
		return object{"name": name, "summary": summary, "required": required, "suggests": suggests, "choices": append([]string{}, choices...)}
	}
	command := func(name, summary string, options ...object) object {
		return object{"name": "/discoclaw " + name, "summary": summary, "options": append([]object{}, options...)}
	}
	return []object{
		command("health", "Tell how the bot has been doing.", option("what", "What to tell besides.", false, false, "verbose", "tools", "doctor")),
		command("restart", "Start the bot again, or tell when it started last."),
		command("secret", "Change a setting.", option("do", "What to do.", true, false, "set", "unset", "list"), option("setting", "NAME=value to set it, NAME to unset it.", false, false)),
		command("status", "Tell what the bot is doing."),
		command("stop", "Stop all replies that are being written."),
		command("why", "Tell what the bot did about a message, and why.", option("link", "The link of what was asked.", true, true)),
	}
}

// A line is what the page shows of a command while it is typed.
type line struct {
	Text    string   // of the field
	Hint    string   // above the list
	Options []string // their names; the selected one has a star before it
}

// waitLine waits for a state of the field and its list.
func (b *tab) waitLine(want line) {
	b.Helper()
	if want.Options == nil {
		want.Options = []string{}
	}
	b.wait(`JSON.stringify({
		Text: document.getElementById('writing').value,
		Hint: document.querySelector('.completion').hidden ? '' : document.querySelector('.completion-hint').textContent,
		Options: [...document.querySelectorAll('.completion-list:not([hidden]) [role=option]')].map((o) => (o.ariaSelected === 'true' ? '*' : '') + o.querySelector('bdi').textContent),
	}) === JSON.stringify(` + quote(want) + `)`)
}

// slash begins a command, waits for the list, and types keys.
func (b *tab) slash(keys string) {
	b.Helper()
	b.keys("/")
	b.wait(`document.querySelector('.completion-list:not([hidden])')`)
	b.keys(keys)
}

// withCommands returns a stub that has the example's commands, and a function that compares
// the used ones. The page does not wait until they have arrived, so this does.
func withCommands(t *testing.T) (s *stub, requireUsed func(want ...string)) {
	s = newStub(t)
	s.commands = exampleCommands()
	used := make(chan string, 10)
	s.run = func(command string) error {
		used <- command
		return nil
	}
	return s, func(want ...string) {
		t.Helper()
		var got []string
		for range want {
			select {
			case command := <-used:
				got = append(got, command)
			case <-time.After(waitTimeout):
			}
		}
		for len(used) > 0 {
			got = append(got, <-used)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("used (-want +got):\n%s", diff)
		}
	}
}

func TestSlashCommandsAreCompletedWithTheKeyboard(t *testing.T) {
	t.Parallel()
	s, requireUsed := withCommands(t)
	b := show(t, s, desktop)
	b.click("#writing")
	b.keys("/")
	b.waitLine(line{"/", "", []string{"*/discoclaw health", "/discoclaw restart", "/discoclaw secret", "/discoclaw status", "/discoclaw stop", "/discoclaw why"}})
	b.keys("st")
	b.waitLine(line{"/st", "", []string{"*/discoclaw status", "/discoclaw stop", "/discoclaw restart"}})
	b.keys(kb.ArrowDown)
	if got := eval[string](b, `document.getElementById(document.getElementById('writing').getAttribute('aria-activedescendant')).textContent`); got != "/discoclaw stopStop all replies that are being written." {
		t.Errorf("a screen reader says %q", got)
	}
	b.keys("\r")
	b.waitLine(line{"/discoclaw stop", "", []string{"*/discoclaw stop"}})
	b.keys(kb.Tab) // there is nothing left to complete
	b.wait(focused + ` === 'Send'`)
	b.click("#writing")
	b.keys("\r")
	b.waitLine(line{})
	b.keys("/discoclaw heal" + kb.Tab)
	b.waitLine(line{"/discoclaw health ", "what: What to tell besides. Optional.", []string{"verbose", "tools", "doctor"}})
	b.keys("o")
	b.waitLine(line{"/discoclaw health o", "what: What to tell besides. Optional.", []string{"*verbose", "tools", "doctor"}})
	b.keys("x")
	b.waitLine(line{"/discoclaw health ox", "what: What to tell besides. Optional.", nil})
	requireUsed("/discoclaw stop")
	if said := s.contents(generalID); len(said) > 0 {
		t.Errorf("everybody reads %q", said)
	}
}

func TestAnOptionIsLeftOutWithEnter(t *testing.T) {
	t.Parallel()
	s, requireUsed := withCommands(t)
	b := show(t, s, desktop)
	b.click("#writing")
	b.slash("health\r")
	b.waitLine(line{"/discoclaw health ", "what: What to tell besides. Optional.", []string{"verbose", "tools", "doctor"}})
	b.keys("\r")
	b.waitLine(line{})
	b.slash("health\r")
	b.waitLine(line{"/discoclaw health ", "what: What to tell besides. Optional.", []string{"verbose", "tools", "doctor"}})
	b.keys(kb.ArrowDown + kb.ArrowDown + "\r")
	b.waitLine(line{"/discoclaw health tools", "what: What to tell besides. Optional.", []string{"*tools"}})
	b.keys("\r")
	b.waitLine(line{})
	b.slash("secret\r")
	b.waitLine(line{"/discoclaw secret ", "do: What to do.", []string{"*set", "unset", "list"}})
	b.keys("\r")
	b.waitLine(line{"/discoclaw secret set ", "setting: NAME=value to set it, NAME to unset it. Optional.", nil})
	b.keys("A=b c\r")
	b.waitLine(line{})
	b.keys("/discoclaw stop now")
	b.waitLine(line{"/discoclaw stop now", "/discoclaw stop takes nothing more.", nil})
	b.keys(kb.Escape)
	b.waitLine(line{"/discoclaw stop now", "", nil})
	requireUsed("/discoclaw health", "/discoclaw health tools", "/discoclaw secret set A=b c")
}

func TestTheBotSuggestsWhatToType(t *testing.T) {
	t.Parallel()
	s, requireUsed := withCommands(t)
	s.suggest = func(command string) []string {
		typed := strings.TrimPrefix(command, "/discoclaw why ")
		var found []string
		for _, link := range []string{"https://discord.com/channels/1/2/3", "https://discord.com/channels/1/2/44"} {
			if strings.Contains(link, typed) {
				found = append(found, link)
			}
		}
		return found
	}
	b := show(t, s, desktop)
	b.click("#writing")
	b.slash("why\r")
	const hint = "link: The link of what was asked."
	b.waitLine(line{"/discoclaw why ", hint, []string{"*https://discord.com/channels/1/2/3", "https://discord.com/channels/1/2/44"}})
	b.keys("4")
	b.waitLine(line{"/discoclaw why 4", hint, []string{"*https://discord.com/channels/1/2/44"}})
	b.run(`window.offered = document.querySelector('.completion-option')`)
	b.keys("4")
	b.waitLine(line{"/discoclaw why 44", hint, []string{"*https://discord.com/channels/1/2/44"}})
	b.wait(`window.offered === document.querySelector('.completion-option')`) // the element is not replaced, so that it can still be clicked
	b.click(".completion-option")
	b.waitLine(line{"/discoclaw why https://discord.com/channels/1/2/44", hint, []string{"*https://discord.com/channels/1/2/44"}})
	b.keys("\r")
	b.waitLine(line{})
	requireUsed("/discoclaw why https://discord.com/channels/1/2/44")
}

func TestTextWithoutACommandIsAMessage(t *testing.T) {
	t.Parallel()
	s, requireUsed := withCommands(t)
	b := show(t, s, desktop)
	b.click("#writing")
	for _, text := range []string{"/etc/hosts is empty", "see /discoclaw stop", "/"} {
		n := len(s.contents(generalID))
		b.keys(text)
		if text == "/" {
			b.wait(`document.querySelector('.completion-option')`)
			b.keys(kb.Escape)
		}
		b.keys("\r")
		b.wait(rows + ` === ` + quote(n+1))
	}
	requireUsed()
	// Nor is an edit of a message.
	b.keys(kb.ArrowUp)
	b.wait(`document.getElementById('writing').value === '/'`)
	b.keys("discoclaw stop\r")
	b.wait(`document.querySelector('.edited')`)
	if diff := cmp.Diff([]string{"/etc/hosts is empty", "see /discoclaw stop", "/discoclaw stop"}, s.contents(generalID)); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
}

func TestAFailedCommandIsPutBackIntoTheField(t *testing.T) {
	t.Parallel()
	s, _ := withCommands(t)
	s.run = func(string) error { return errors.New("the bot did not answer /discoclaw within 3s") }
	b := show(t, s, noisyDesktop)
	b.click("#writing")
	b.keys("/discoclaw stop\r")
	b.wait(`document.getElementById('composer-error').textContent === 'The bot did not answer /discoclaw within 3s.' && document.getElementById('writing').value === '/discoclaw stop'`)

	b.run(`document.getElementById('writing').dispatchEvent(new ClipboardEvent('paste', { clipboardData: ` + files + `, bubbles: true, cancelable: true }))`)
	b.wait(`document.querySelectorAll('.chip').length === 2`)
	b.keys("\r")
	b.wait(`document.getElementById('composer-error').textContent === 'A slash command takes no files; take them away first.' && document.querySelectorAll('.chip').length === 2 && document.getElementById('writing').value === '/discoclaw stop'`)

	// Not sent, so that it is not public.
	s.refuse("GET /commands", "it is too late for that")
	b.run(`location.hash = '#channel/` + opsID + `'`)
	b.wait(`document.querySelector('h1').textContent === 'ops'`)
	b.keys("/discoclaw secret set A=b\r")
	b.wait(`document.getElementById('composer-error').textContent === 'It is too late for that.' && document.getElementById('writing').value === '/discoclaw secret set A=b'`)
	if said := s.contents(opsID); len(said) > 0 {
		t.Errorf("everybody reads %q", said)
	}
}
