package page_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/google/go-cmp/cmp"
)

// focused describes the focused element.
const focused = `(() => { const a = document.activeElement; return a.getAttribute('aria-label') ?? a.textContent.trim() })()`

func TestEnterSendsAndShiftEnterBreaksTheLine(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	b := show(t, s, desktop)
	b.wait(`document.activeElement.id === 'writing'`) // typing works at once
	b.keys("first line")
	b.keys("\r", chromedp.ModifierShift)
	b.keys("second line")
	if height := eval[float64](b, `document.getElementById('writing').offsetHeight`); height < 55 {
		t.Errorf("with two lines, the field is %.0f pixels high", height)
	}
	b.keys("\r")
	b.wait(rows + ` === 1`)
	if diff := cmp.Diff([]string{"first line\nsecond line"}, s.contents(generalID)); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
	if got := eval[string](b, `document.getElementById('writing').value`); got != "" {
		t.Errorf("after sending, the field has %q", got)
	}
	b.keys("   \r")
	if n := len(s.contents(generalID)); n != 1 {
		t.Errorf("spaces were sent: %d messages", n)
	}
}

func TestArrowUpChangesOnesLastMessage(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	s.say("you", generalID, "helo <@"+samID+">", nil)
	s.say("sam", generalID, "hi", nil)
	b := show(t, s, desktop)
	b.click("#writing")
	b.keys(kb.ArrowUp)
	b.wait(`document.getElementById('writing').value === 'helo @sam' && document.querySelector('.composer-context').textContent.includes('Changing')`)
	b.keys(kb.Escape)
	b.wait(`document.getElementById('writing').value === '' && document.querySelector('.composer-context').hidden`)
	b.keys(kb.ArrowUp)
	b.wait(`document.getElementById('writing').value === 'helo @sam'`)
	b.keys(" again\r")
	b.wait(`document.querySelector('.edited') && document.querySelector('.composer-context').hidden`)
	if diff := cmp.Diff([]string{"helo <@" + samID + "> again", "hi"}, s.contents(generalID)); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
}

func TestArrowsGoThroughTheChannels(t *testing.T) {
	t.Parallel()
	b := show(t, newStub(t), desktop)
	b.run(`document.querySelector('.channel[aria-current]').focus()`)
	for _, step := range []struct{ key, want string }{
		{kb.ArrowDown, "Launch plan"}, {kb.ArrowDown, "ops"}, {kb.ArrowUp, "Launch plan"}, {kb.End, "How do I start?"}, {kb.Home, "general"}, {kb.ArrowUp, "general"}, {kb.ArrowDown, "Launch plan"}, {kb.ArrowDown, "ops"},
	} {
		b.keys(step.key)
		if got := eval[string](b, focused); got != step.want {
			t.Fatalf("the focus is at %q, want %q", got, step.want)
		}
	}
	b.keys("\r")
	b.wait(`document.querySelector('h1').textContent === 'ops'`)
	b.keys(kb.ArrowUp, chromedp.ModifierAlt)
	b.wait(`document.querySelector('h1').textContent.includes('Launch plan')`)
	if n := eval[int](b, `document.querySelectorAll('.channel[tabindex="0"]').length`); n != 1 {
		t.Errorf("%d channels are in the Tab order, want 1", n)
	}
}

func TestMessagesAreUsedWithTheKeyboard(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	s.fill(generalID, 40)
	mine := s.say("you", generalID, "my own words", nil)
	s.say("sam", generalID, "the last word", nil)
	b := show(t, s, desktop)
	b.wait(`document.getElementById('scroller').textContent.includes('the last word')`) // a slow machine shows them late
	b.run(`document.getElementById('scroller').focus()`)
	b.keys(kb.ArrowUp)
	b.wait(focused + `.endsWith('the last word')`)
	b.keys(kb.ArrowUp)
	b.wait(focused + `.endsWith('my own words')`)

	// Tab goes to the actions of the message.
	for _, want := range []string{"Add a reaction", "Reply", "Start a thread", "Copy the link of this message", "Edit", "Delete"} {
		b.keys(kb.Tab)
		if got := eval[string](b, focused); got != want {
			t.Fatalf("the focus is at %q, want %q", got, want)
		}
	}
	b.keys("\r")
	b.wait(`document.querySelector('dialog[open]')`)
	b.keys(kb.Escape)
	b.wait(`!document.querySelector('dialog')`)
	b.wait(focused + ` === 'Delete'`)
	b.keys("\r")
	b.wait(`document.querySelector('dialog[open]')`)
	b.keys("\r")
	b.wait(fmt.Sprintf(`!document.querySelector('dialog') && !document.querySelector('[data-id="%s"]')`, mine["id"]))

	// Home goes to the oldest loaded message, End to the newest.
	b.run(`document.getElementById('scroller').focus()`)
	b.keys(kb.Home)
	b.wait(focused + `.endsWith('message 0')`)
	b.keys(kb.ArrowDown + kb.ArrowDown)
	b.wait(focused + `.endsWith('message 2')`)
	b.keys(kb.End)
	b.wait(focused + `.endsWith('the last word') && ` + gapBelow + ` < 2`)
}

func TestEmojiIsChosenWithTheKeyboard(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	s.say("sam", generalID, "nice", nil)
	b := show(t, s, desktop)
	b.run(`document.getElementById('scroller').focus()`)
	b.keys(kb.ArrowUp + kb.Tab + "\r")
	b.wait(focused + ` === 'thumbs up'`)
	b.keys(kb.ArrowRight + kb.ArrowDown)
	b.wait(focused + ` === 'no'`)
	b.keys(kb.Escape)
	b.wait(`!document.querySelector('.popup') && ` + focused + ` === 'Add a reaction'`)
	b.keys("\r")
	b.wait(focused + ` === 'thumbs up'`)
	b.keys(kb.Tab)
	b.wait(focused + ` === 'Another emoji'`)
	b.keys("☕\r")
	b.wait(`document.querySelector('.reaction')?.dataset.emoji === '☕'`)
}

func TestPersonIsChosenWithTheKeyboard(t *testing.T) {
	t.Parallel()
	b := show(t, newStub(t), desktop)
	b.run(`document.getElementById('speak-as').focus()`)
	b.keys("\r")
	b.wait(`document.activeElement.dataset.person === '` + youID + `'`)
	b.keys(kb.ArrowDown + "\r")
	b.wait(`document.querySelector('.speak-name').textContent === 'sam' && !document.querySelector('.popup')`)
}

func TestNamesAreCompleted(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	b := show(t, s, desktop)
	b.click("#writing")
	b.keys("hello @disc")
	b.wait(`!document.getElementById('completion').hidden`)
	b.keys("\r")
	b.wait(`document.getElementById('writing').value === 'hello @DiscoClaw ' && document.getElementById('completion').hidden`)
	b.keys("see #o")
	b.wait(`document.querySelectorAll('.completion-option').length > 1`)
	b.keys(kb.Escape)
	b.wait(`document.getElementById('completion').hidden`)
	b.keys("ps `@sam` \r")
	b.wait(rows + ` === 1`)
	if diff := cmp.Diff([]string{"hello <@" + botID + "> see #ops `@sam`"}, s.contents(generalID)); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
}

// toTheStart puts the focus where it is when the page has just been opened.
const toTheStart = `const start = document.createElement('i'); start.tabIndex = -1; document.body.prepend(start); start.focus(); start.remove()`

func TestSkipLinkComesFirst(t *testing.T) {
	t.Parallel()
	b := show(t, newStub(t), desktop)
	b.run(toTheStart)
	b.keys(kb.Tab)
	b.wait(focused + ` === 'Skip to writing'`)
	b.wait(`document.activeElement.getBoundingClientRect().top >= 0`)
	b.keys("\r")
	b.wait(`document.activeElement.id === 'writing'`)
}

// TestTabGoesThroughThePageInOrder: every stop has a name and a visible focus.
func TestTabGoesThroughThePageInOrder(t *testing.T) {
	t.Parallel()
	s := exampleStub(t)
	b := show(t, s, desktop)
	b.wait(`document.querySelector('.idea')`)
	b.run(toTheStart)
	seen := map[string]bool{}
	var stops []string
	for range 50 {
		b.keys(kb.Tab)
		stop := eval[object](b, `(() => {
			const a = document.activeElement;
			const box = a.getBoundingClientRect();
			const style = getComputedStyle(a);
			const box2 = a.closest('.composer-box');
			const ring = style.outlineStyle !== 'none' || (box2 && getComputedStyle(box2).boxShadow !== 'none');
			return { name: a.getAttribute('aria-label') ?? a.querySelector('img')?.alt ?? a.textContent.trim(), where: a.closest('nav, header, main, aside, body').localName, ring, seen: box.width > 0 && box.bottom > 0, body: a === document.body };
		})()`)
		if stop["body"] == true {
			break
		}
		name := fmt.Sprint(stop["where"], ": ", stop["name"])
		if stop["name"] == "" || stop["ring"] != true || stop["seen"] != true {
			t.Errorf("the stop %q has no name, or cannot be seen to have the focus: %v", name, stop)
		}
		if !seen[name] {
			stops = append(stops, name)
		}
		seen[name] = true
	}
	for _, want := range []string{"body: Skip to writing", "nav: general", "header: Speaking as you. Choose who speaks", "main: Write a message", "main: Send", "aside: Things to try"} {
		if !seen[want] {
			t.Errorf("Tab does not reach %q, only %q", want, stops)
		}
	}
}

func TestAnsweringAndThreads(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	m := s.say("sam", generalID, "what now?", nil)
	b := show(t, s, desktop)
	b.wait(`document.querySelector('.message')`)
	b.run(`document.getElementById('scroller').focus()`)
	b.keys(kb.ArrowUp)
	b.wait(`document.activeElement.closest('.message')`)
	b.keys(kb.Tab + kb.Tab + "\r")
	b.wait(`document.querySelector('.composer-context').textContent === 'Answering sam' && document.activeElement.id === 'writing'`)
	b.keys("this\r")
	b.wait(`document.querySelector('.reply-line')`)
	s.mu.Lock()
	reply := s.messages[generalID][1]["replyTo"].(object)["id"]
	s.mu.Unlock()
	if reply != m["id"] {
		t.Errorf("the answer is to %v, want %v", reply, m["id"])
	}

	b.run(`document.getElementById('scroller').focus()`)
	b.keys(kb.ArrowUp + kb.ArrowUp)
	b.wait(focused + `.endsWith('what now?')`)
	b.keys(kb.Tab + kb.ArrowRight + kb.ArrowRight + "\r")
	b.wait(`document.querySelector('dialog input')?.value === 'what now?'`)
	b.keys("\r")
	b.wait(`!document.querySelector('dialog') && document.querySelector('h1').textContent === 'general›what now?'`)
}

func TestForumListsPostsAndTakesNewOnes(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	s.channels[3]["tags"] = []object{{"id": "1", "name": "help", "emoji": ""}}
	s.channels[4]["appliedTags"] = []string{"1"}
	b := show(t, s, desktop)
	b.run(`location.hash = '#channel/` + forumID + `'`)
	b.wait(`document.querySelectorAll('.post').length === 1 && document.querySelector('.post .badge').textContent === 'help'`)
	b.click(".forum-head button")
	b.wait(`document.activeElement.name === 'name'`)
	b.keys("A question" + kb.Tab + "with details")
	b.click("dialog [type=submit]")
	b.wait(`document.querySelector('h1').textContent === 'questions›A question' && document.querySelector('.message')?.textContent.includes('with details')`)
}
