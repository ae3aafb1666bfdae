package page_test

import (
	"errors"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/google/go-cmp/cmp"
)

// withForm returns a stub with an entry in the menus of messages, which leads to a form.
func withForm(t *testing.T) *stub {
	t.Helper()
	s := newStub(t)
	s.entries = []string{"Ask about this"}
	s.form = object{"id": "ask:1", "title": "Ask about this message", "fields": []object{{"id": "question", "label": "What do you want to know?", "required": true, "longest": 20}}}
	return s
}

func TestAMessageIsAskedAboutWithTheKeyboard(t *testing.T) {
	t.Parallel()
	s := withForm(t)
	values, failures := make(chan map[string]string, 2), make(chan error, 2)
	s.submit = func(v map[string]string) error {
		values <- v
		return <-failures
	}
	s.say("sam", generalID, "the launch is on Friday", nil)
	b := show(t, s, noisyDesktop) // the first attempt fails
	b.wait(`document.querySelector('.message')`)
	b.run(`document.getElementById('scroller').focus()`)
	b.keys(kb.ArrowUp)
	b.wait(focused + `.endsWith('the launch is on Friday') && document.querySelector('.tools [data-do=pick]')`)
	b.keys(kb.Tab)
	b.wait(focused + ` === 'Add a reaction'`)
	b.keys(kb.ArrowLeft + kb.ArrowLeft)
	b.wait(focused + ` === 'Ask about this'`)
	b.keys("\r")
	b.wait(`document.activeElement.matches('dialog[open] textarea') && document.activeElement.required && document.activeElement.maxLength === 20`)
	b.frames()
	b.shoot("form")
	for part, want := range map[string]string{"h2": "Ask about this message", ".dialog-text": "“the launch is on Friday”", ".field span": "What do you want to know?"} {
		if got := b.text("dialog " + part); got != want {
			t.Errorf("%s of the dialog is %q, want %q", part, got, want)
		}
	}
	b.keys("Why?\rWhich?" + kb.Tab + kb.Tab)
	b.wait(focused + ` === 'Submit'`)
	failures <- errors.New("the bot did not answer the form within 3s")
	b.keys("\r")
	b.wait(`document.querySelector('dialog .error-line').textContent === 'The bot did not answer the form within 3s.'`)
	failures <- nil
	b.click("dialog [type=submit]")
	b.wait(`!document.querySelector('dialog') && ` + focused + ` === 'Ask about this'`)
	want := map[string]string{"question": "Why?\nWhich?"}
	if diff := cmp.Diff([]map[string]string{want, want}, []map[string]string{<-values, <-values}); diff != "" {
		t.Errorf("submitted (-want +got):\n%s", diff)
	}
}

func TestAnEntryThatFailsSaysSoAtTheMessage(t *testing.T) {
	t.Parallel()
	s := withForm(t)
	s.refuse("POST /commands", "the bot did not answer Ask about this within 3s")
	s.say("sam", generalID, "the launch is on Friday", nil)
	b := show(t, s, noisyDesktop)
	b.click(".message .rich")
	b.click(".tools [data-do=pick]")
	b.wait(`document.querySelector('.note[data-tone=error]')?.textContent.startsWith('The bot did not answer Ask about this within 3s.') && !document.querySelector('dialog')`)
}

func TestADoubleClickOpensOneForm(t *testing.T) {
	t.Parallel()
	s := withForm(t)
	s.say("sam", generalID, "the launch is on Friday", nil)
	b := show(t, s, desktop)
	b.click(".message .rich")
	b.wait(`document.querySelector('.tools [data-do=pick]')`)
	b.run(`const entry = document.querySelector('.tools [data-do=pick]'); entry.click(); entry.click()`)
	b.wait(`document.querySelector('dialog[open]')`)
	if n := len(s.requests("POST /api/channels/" + generalID + "/messages/")); n != 1 {
		t.Errorf("the entry was chosen %d times", n)
	}
}

// TestAnEntryAppearsWhenTheBotOffersIt, even at a message whose tools are already there.
func TestAnEntryAppearsWhenTheBotOffersIt(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	s.say("sam", generalID, "one", nil)
	s.say("sam", generalID, "two", nil)
	b := show(t, s, desktop)
	b.click(".message:last-child .rich")
	b.wait(`document.querySelector('.message:last-child .tools') && !document.querySelector('[data-do=pick]')`)
	s.mu.Lock()
	s.entries = []string{"Ask about this"}
	s.mu.Unlock()
	b.click(".message:first-child .rich")
	b.wait(`document.querySelector('.message:first-child .tools [data-do=pick]')`)
}
