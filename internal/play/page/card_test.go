package page_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
	"github.com/google/go-cmp/cmp"
)

// card is a question of the bot, with its two buttons.
func (s *stub) card() object {
	text := fmt.Sprintf("⚠️ <@%s>: delete <#%s> with all its messages?\n-# Expires <t:%d:R> · without buttons: `!confirm ab12cd34`",
		youID, opsID, time.Now().Add(10*time.Minute).Unix())
	return s.say("DiscoClaw", generalID, text, object{"mentionsYou": false, "buttons": [][]object{{
		{"id": "approve:ab12cd34", "label": "Approve", "style": 4, "disabled": false},
		{"id": "reject:ab12cd34", "label": "Reject", "style": 2, "disabled": false},
	}}})
}

// TestACardIsAnsweredWithTheKeyboard: its buttons and its end are announced to screen
// readers, and the focus is never lost.
func TestACardIsAnsweredWithTheKeyboard(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	answer := make(chan struct{})
	s.press = func(string) (string, error) {
		<-answer
		return "", nil
	}
	b := show(t, s, desktop)
	card := s.card()
	told := `[...document.getElementById('announcer').children].map((p) => p.textContent)`
	b.wait(told + `.at(-1)?.includes('with all its messages?') && ` + told + `.at(-1).endsWith(' Buttons: Approve, Reject.')`)
	if eval[bool](b, `document.querySelector('.message').hasAttribute('data-mentioned')`) {
		t.Error("a card without a notification is highlighted")
	}

	b.run(`document.getElementById('scroller').focus()`)
	b.keys(kb.ArrowUp)
	for _, want := range []string{"ops", "Approve"} {
		b.keys(kb.Tab)
		if got := strings.TrimPrefix(eval[string](b, focused), "#"); got != want {
			t.Fatalf("the focus is at %q, want %q", got, want)
		}
	}
	b.keys("\r")
	b.wait(`document.activeElement.getAttribute('aria-busy') === 'true'`)
	b.frames()
	if got := eval[string](b, focused); got != "Approve" {
		t.Errorf("while it waits, the focus is at %q", got)
	}
	close(answer)
	b.wait(`!document.querySelector('[aria-busy=true].press')`)
	s.change(generalID, card["id"].(string), object{"content": "✅ Approved by <@" + youID + ">.\nDone: Deleted #ops", "buttons": [][]object{}})
	b.wait(`!document.querySelector('.press') && document.activeElement.dataset.id === ` + quote(card["id"]))
	b.wait(told + `.at(-1) === 'DiscoClaw: ✅ Approved by @you. Done: Deleted #ops'`)
}

func TestAnEphemeralMessageIsMarkedAndDismissed(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	m := s.say("DiscoClaw", generalID, "Only who asked for this can answer.", object{"onlyYou": true})
	b := show(t, s, noisyDesktop)
	b.wait(`document.querySelector('.message[data-only-you] .only-you')`)
	if got := b.text(".only-you"); got != "Only you can see this·Dismiss message" {
		t.Errorf("below it stands %q", got)
	}
	path := "/messages/" + m["id"].(string)
	s.refuse("DELETE "+path, "the playground is busy")
	b.click("[data-do=leave]")
	b.wait(`document.querySelector('.note[data-tone=error]')?.textContent.startsWith('The playground is busy.')`)
	s.allow("DELETE " + path)
	b.click("[data-do=leave]")
	b.wait(rows + ` === 0`)
}

// TestAnAnswerIsShownToItsMemberOnly: the speaker may change before it arrives.
func TestAnAnswerIsShownToItsMemberOnly(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	answer := make(chan struct{})
	s.press = func(string) (string, error) {
		<-answer
		return "for you alone", nil
	}
	s.card()
	b := show(t, s, desktop)
	b.click(".press")
	b.wait(`document.querySelector('.press[aria-busy=true]')`)
	b.click("#speak-as")
	b.wait(`document.querySelector('[role=option]')`)
	b.run(`[...document.querySelectorAll('[role=option]')].find((o) => o.textContent.includes('sam')).click()`)
	b.wait(`document.querySelector('.speak-name').textContent === 'sam' && document.querySelector('.press:not([aria-busy])')`)
	close(answer)
	b.wait(`performance.getEntriesByType('resource').some(({ name }) => name.includes('/press'))`)
	b.frames()
	if eval[bool](b, `document.body.textContent.includes('for you alone')`) {
		t.Error("sam reads what you were told")
	}
}

// TestAFailedPressIsShownToTheMemberWhoPressed, and the button can be pressed again.
func TestAFailedPressIsShownToTheMemberWhoPressed(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	s.press = func(string) (string, error) { return "", errors.New("this interaction failed") }
	s.card()
	b := show(t, s, noisyDesktop)
	b.click(".press")
	b.wait(`document.querySelector('.note[data-tone=error][role=alert]')?.textContent.startsWith('This interaction failed.Only you can see this')`)
	b.wait(`!document.querySelector('.press[aria-disabled]')`)
}

// TestRelativeTimesGoOn without a change of other elements.
func TestRelativeTimesGoOn(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	s.card()
	b := show(t, s, desktop)
	b.wait(`/^in (10|9|8) minutes$/.test(document.querySelector('time.moment')?.textContent)`) // a browser may take its time
	b.run(`
		window.time = document.querySelector('time.moment');
		window.changed = [];
		new MutationObserver((all) => window.changed.push(...all.map(({ target }) => target))).observe(document.getElementById('feed'), { subtree: true, childList: true, attributes: true });
		const real = Date.now;
		Date.now = () => real() + 12 * 60 * 1000`)
	b.wait(`/^[234] minutes ago$/.test(window.time.textContent)`)
	if others := eval[string](b, `window.changed.filter((node) => node !== window.time).map((node) => node.outerHTML.slice(0, 200)).join('\n')`); others != "" || !eval[bool](b, `window.time.isConnected`) {
		t.Errorf("more than the time was changed:\n%s", others)
	}
}

func TestTimesHaveTheStylesOfDiscord(t *testing.T) {
	t.Parallel()
	b := open(t, newStub(t), desktop)
	b.visit(b.stub.URL)
	got := eval[map[string][]string](b, `import('/rich.js').then(({ rich }) => Object.fromEntries(['', ':t', ':T', ':d', ':D', ':f', ':F', ':R'].map((style) => {
		const time = rich('<t:1767225600' + style + '>', {})[0].querySelector('time');
		return [style, [time.textContent, time.title, time.dateTime]];
	})))`)
	want := eval[map[string]string](b, `(() => {
		const time = new Date(1767225600000);
		const as = (options) => new Intl.DateTimeFormat([], options).format(time);
		const f = as({ dateStyle: 'long', timeStyle: 'short' });
		return { '': f, ':t': as({ hour: '2-digit', minute: '2-digit' }), ':T': as({ timeStyle: 'medium' }), ':d': as({ dateStyle: 'short' }),
			':D': as({ dateStyle: 'long' }), ':f': f, ':F': as({ dateStyle: 'full', timeStyle: 'short' }) };
	})()`)
	for style, words := range got {
		if w := want[style]; style != ":R" && words[0] != w {
			t.Errorf("<t:…%s> is shown as %q, want %q", style, words[0], w)
		}
		if diff := cmp.Diff([]string{want[":F"], "2026-01-01T00:00:00.000Z"}, words[1:]); diff != "" {
			t.Errorf("title and time of style %q (-want +got):\n%s", style, diff)
		}
	}
}

func TestALinkToAMessageGoesThere(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	old := s.say("sam", opsID, "the old one", nil)
	s.fill(opsID, 120)
	s.messages[opsID] = append([]object{old}, s.messages[opsID][1:]...)
	address := "https://discord.com/channels/" + guildID + "/"
	s.say("DiscoClaw", generalID, "Of <@&"+roleID+">: "+address+opsID+"/"+old["id"].(string)+" and [another]("+address+generalID+"/"+id(5)+")", nil)
	b := show(t, s, desktop)
	b.wait(`document.querySelector('.message .rich')`)
	if got := b.text(".message .rich"); got != "Of @crew: #ops › message and another" {
		t.Errorf("it is shown as %q", got)
	}
	b.run(`document.querySelectorAll('.message .rich a')[1].click()`)
	b.wait(`document.querySelector('.note[data-tone=error]')?.textContent.startsWith('That message is not there any more.')`)
	b.click(".message .rich a")
	b.wait(`document.querySelector('h1').textContent === 'ops' && document.activeElement.matches('[data-found]') && document.activeElement.textContent.includes('the old one')`)
}

func TestTheLinkOfAMessageIsCopied(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	m := s.say("sam", generalID, "hello", nil)
	b := show(t, s, desktop)
	b.run(`Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (text) => { window.copied = text } } })`)
	b.run(`document.querySelector('.message').focus()`)
	b.run(watchWords(".tools [data-do=link]"))
	b.click(".tools [data-do=link]")
	b.wait(`window.copied === ` + quote("https://discord.com/channels/"+guildID+"/"+generalID+"/"+m["id"].(string)))
	b.wait(`window.words.includes('Copied')`)
}
