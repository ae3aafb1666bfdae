package page_test

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/chat"
	"discoclaw/internal/play"
)

// ownProcess has the bot run in a process of its own, which is this test binary.
func ownProcess() []string { return []string{os.Args[0], botProcess} }

// plugged waits until the bot is dead, or alive.
func (b *tab) plugged(state string) {
	b.Helper()
	b.wait(fmt.Sprintf("document.getElementById('app').dataset.bot === %s", quote(state)))
}

func TestThePlugIsShownOnlyWhereItCanBePulled(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	b := show(t, s, noisyDesktop) // the refusal is logged
	b.plugged("alive")
	if eval[bool](b, `Boolean(document.getElementById('plug')) || !document.getElementById('trouble').hidden`) {
		t.Error("there is a plug although the bot is no process of its own")
	}
	s.live("alive", object{"own": true})
	b.wait(`document.getElementById('plug')?.textContent === 'Pull the plug'`)
	s.refuse("POST /bot", "not while somebody is looking")
	b.click("#plug")
	b.wait(`document.querySelector('#trouble .error-line')?.textContent === 'Not while somebody is looking.'`)
	s.allow("POST /bot")
	b.click("#plug")
	b.plugged("dead")
	b.wait(`document.querySelector('.plug-state').textContent === 'The bot is dead: its process was killed. What you write waits.' && !document.querySelector('#trouble .error-line')`)
	b.wait(`document.querySelector('.composer-silence').textContent === 'The bot is dead. What you write waits until it is started again.'`)
	b.wait(`document.getElementById('plug').textContent === 'Start it again'`)
	b.click("#plug")
	b.wait(`document.querySelector('.plug-state').textContent === 'The bot is alive again. Nothing was being written.' && document.querySelector('.composer-silence').hidden`)
}

func TestWhatWasKeptIsShownAfterADeath(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	s.fill(generalID, 200)
	kept := s.say("DiscoClaw", opsID, "half an answer", nil)["id"].(string)
	s.bot["own"] = true
	b := show(t, s, desktop)
	s.live("dead", object{"why": "It ended by itself: out of memory."})
	b.wait(`document.querySelector('.plug-state')?.textContent === 'The bot is dead. It ended by itself: out of memory. What you write waits.'`)
	s.live("starting", object{})
	b.wait(`document.querySelector('.plug-state').textContent === 'The bot is starting…' && document.querySelector('#plug[aria-disabled]')`)
	s.live("alive", object{"kept": []object{{"channel": opsID, "message": kept}}})
	b.wait(`document.querySelector('.plug-state').textContent === 'It went on with the same message:show the answer in #ops'`)
	b.click("[data-kept]")
	b.wait(`document.querySelector('h1').textContent === 'ops' && document.activeElement.matches('[data-found]') && document.activeElement.textContent.includes('half an answer')`)
	s.remove(opsID, kept)
	b.click("[data-kept]")
	b.wait(`document.querySelector('#trouble .error-line')?.textContent.startsWith('That message is gone')`)
	s.live("alive", object{"kept": []object{{"channel": generalID, "message": s.messages[generalID][3]["id"]}, {"channel": opsID, "message": kept}, {"channel": id(99), "message": id(98)}}})
	b.wait(`document.querySelectorAll('[data-kept]').length === 2`)
	b.click("[data-kept]") // which is far above
	b.wait(`document.activeElement.matches('[data-found]') && document.activeElement.textContent.includes('message 3')`)
	s.live("alive", object{"kept": []object{{"channel": id(99), "message": id(98)}}})
	b.wait(`document.querySelector('.plug-state').textContent === 'It went on with the same message, in a channel that you cannot see.'`)
}

// TestThePlugIsUsedWithTheKeyboardAndOnAPhone: its button keeps the focus.
func TestThePlugIsUsedWithTheKeyboardAndOnAPhone(t *testing.T) {
	t.Parallel()
	for name, l := range map[string]look{"phone": phone, "dark": {width: 390, height: 844, dark: true, touch: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStub(t)
			s.bot["own"] = true
			b := show(t, s, l)
			b.wait(`document.getElementById('plug')`)
			b.click("#panel-toggle")
			b.run(`document.getElementById('plug').focus()`)
			b.keys("\r")
			b.wait(`document.querySelector('.plug-state').textContent.startsWith('The bot is dead')`)
			b.run(`await Promise.all(document.getAnimations().map((one) => one.finished))`)
			b.shoot("plug-" + name)
			b.wait(focused + ` === 'Start it again'`)
			for _, fault := range eval[[]string](b, tooWide) {
				t.Error(fault)
			}
			b.keys("\r")
			b.wait(focused + ` === 'Pull the plug'`)
		})
	}
}

// TestThePlugIsPulledInMidAnswer in one tab, which another one sees. What is said meanwhile is answered once.
func TestThePlugIsPulledInMidAnswer(t *testing.T) {
	t.Parallel()
	b := enterWith(t, desktop, play.Options{Pace: 25 * time.Millisecond, Layout: quiet, Bot: ownProcess()})
	other := open(t, nil, look{width: 1280, height: 800, dark: true})
	other.visit(eval[string](b, `location.origin`))
	other.enters()
	b.says("tell me a story")
	b.sees("lighthouse keeper")
	b.click("#plug")
	b.plugged("dead")
	other.plugged("dead")
	other.says("what is 6 * 7?")
	b.sees("what is 6 * 7?")
	for n, tab := range []*tab{b, other} {
		tab.wait(`document.querySelector('.plug-state').textContent.includes('What you write waits.')`)
		tab.frames()
		tab.shoot(fmt.Sprint("plug-dead-", n))
	}
	other.click("#plug")
	b.plugged("alive")
	b.sees("The end.")
	b.sees("42")
	for n, tab := range []*tab{b, other} {
		tab.wait(`document.querySelector('.plug-state').textContent.includes('It went on with the same message:')`)
		tab.run(`document.querySelector('[data-kept]').click()`)
		tab.wait(`document.querySelector('[data-found]')?.textContent.includes('lighthouse keeper')`)
		tab.frames()
		tab.shoot(fmt.Sprint("plug-alive-", n))
	}
	times := 0
	for _, m := range b.answered(2) {
		times += strings.Count(m.Content, "6 × 7 = 42")
	}
	if times != 1 {
		t.Errorf("what was said to a dead bot was answered %d times", times)
	}
}

// pullsOf says how often the plug is pulled.
func pullsOf(t *testing.T) int {
	t.Helper()
	n, err := strconv.Atoi(os.Getenv("DISCOCLAW_PULLS"))
	if err != nil {
		return 5
	}
	return n
}

// A said is a message as the server has it.
type said struct {
	Content string
	Author  struct{ Name string }
	Buttons [][]struct{ Label string }
}

// asked are the messages of a channel, for which the page asks the server: it shows only those near the screen.
func (b *tab) asked(channel string) []said {
	b.Helper()
	return eval[[]said](b, fmt.Sprintf(`(async () => {
		const ask = async (path) => (await fetch(path + 'as=you', { headers: { 'X-Discoclaw': 'play' } })).json();
		const { id } = (await ask('/api/world?')).channels.find((one) => one.name === %s);
		const { messages } = await ask('/api/channels/' + id + '/messages?limit=100&');
		return messages.map(({ content, author: { name }, buttons }) => ({ content, author: { name }, buttons }));
	})()`, quote(channel)))
}

// answered waits until the bot has said something so often in #general, and says nothing more.
func (b *tab) answered(times int) []said {
	b.Helper()
	for deadline := time.Now().Add(waitTimeout); ; {
		list, open, there := b.asked("general"), false, 0
		for _, m := range list {
			open = open || len(m.Buttons) > 0 && m.Buttons[0][0].Label == chat.StopLabel
			if m.Author.Name == "DiscoClaw" {
				there++
			}
		}
		if !open && there >= times {
			return list
		}
		if time.Now().After(deadline) {
			b.Fatalf("want %d answers, all of them ended: %+v", times, list)
		}
	}
}

// TestThePlugIsPulledAtRandomMoments: nothing is lost, nothing doubled, and the tab goes on by itself.
func TestThePlugIsPulledAtRandomMoments(t *testing.T) {
	t.Parallel()
	b := enterWith(t, desktop, play.Options{Pace: 3 * time.Millisecond, Layout: quiet, Bot: ownProcess()})
	pulls, kept := pullsOf(t), 0
	for n := range pulls {
		text := fmt.Sprintf("say run %d in #ops", n)
		if n%2 == 1 {
			text = "tell me a story"
		}
		b.says(text)
		<-time.After(time.Duration(rand.IntN(600)) * time.Millisecond) // some moment of it
		b.run(`document.getElementById('plug').click()`)
		b.plugged("dead")
		if eval[bool](b, `[...document.querySelectorAll('.press')].some((p) => p.textContent === 'Stop')`) {
			kept++
		}
		b.run(`document.getElementById('plug').click()`)
		b.plugged("alive")
		b.answered(n + 1)
	}
	t.Logf("%d pulls, %d of them while an answer was being written", pulls, kept)
	var answers, ends, posts []string
	for _, m := range b.answered(pulls) {
		if m.Author.Name != "DiscoClaw" {
			continue
		}
		answers = append(answers, m.Content)
		if strings.Count(m.Content, "The end.") == 1 && strings.Count(m.Content, "# The lighthouse keeper") == 1 {
			ends = append(ends, m.Content)
		}
	}
	for _, m := range b.asked("ops") {
		posts = append(posts, m.Content)
	}
	want := []string{}
	for n := 0; n < pulls; n += 2 {
		want = append(want, fmt.Sprintf("run %d", n))
	}
	if diff := cmp.Diff(want, posts); diff != "" || len(answers) != pulls || len(ends) != pulls/2 {
		t.Errorf("%d answers, %d whole stories; posted (-want +got):\n%s\nanswers: %q", len(answers), len(ends), diff, answers)
	}

	// The tab that has stayed open shows what one that is opened now shows.
	last := `[...document.querySelectorAll('.message')].slice(-2).map((m) => m.textContent).join()`
	b.frames()
	shown := eval[string](b, last)
	b.visit(eval[string](b, `location.origin`))
	b.enters()
	b.wait(fmt.Sprintf(`%s === %s`, last, quote(shown)))
}

// TestATabOfAnotherKeySaysWhatToDo: a playground that keeps no world has another key with each start.
func TestATabOfAnotherKeySaysWhatToDo(t *testing.T) {
	t.Parallel()
	startBrowser(t)
	o := play.Options{Pace: time.Millisecond, Layout: quiet}
	address, stop := serves(t, o)
	b := open(t, nil, noisyDesktop)
	b.visit(address)
	b.enters()
	stop()
	b.wait(`!document.getElementById('banner').hidden`)
	at, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	o.Address = at.Host
	serves(t, o)
	b.wait(`document.getElementById('banner').textContent.includes('open the address that discoclaw play has printed')`)
}

// TestAnOpenTabGoesOnAfterARestartOfThePlayground: what was saved is the same world, with the same key.
func TestAnOpenTabGoesOnAfterARestartOfThePlayground(t *testing.T) {
	t.Parallel()
	startBrowser(t)
	o := play.Options{Pace: time.Millisecond, Layout: quiet, World: filepath.Join(t.TempDir(), "world.json"), Bot: ownProcess()}
	address, stop := serves(t, o)
	b := open(t, nil, noisyDesktop) // the browser logs failed requests
	b.visit(address)
	b.enters()
	b.says("rename #random to odds")
	b.sees("Done: renamed #random to #odds")
	b.goes("odds")
	b.run(`document.querySelector('#writing').focus()`)
	b.insert("half a thought")
	b.run(`window.sameTab = true`)
	stop()
	b.wait(`!document.getElementById('banner').hidden`)
	at, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	o.Address = at.Host
	serves(t, o)
	b.wait(`document.getElementById('banner').hidden`)
	b.plugged("alive")
	if got := eval[string](b, `document.querySelector('#writing').value`); got != "half a thought" || !eval[bool](b, `window.sameTab`) {
		t.Errorf("the field has %q", got)
	}
	b.run(`document.querySelector('#writing').value = ''`)
	b.goes("general")
	b.says("what is 6 * 7?")
	b.sees("42")
	b.sees("Done: renamed #random to #odds")
	b.wait(`document.querySelector('#turn').textContent.includes('what is 6 * 7?')`)
}
