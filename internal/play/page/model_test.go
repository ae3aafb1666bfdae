package page_test

import (
	"errors"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/google/go-cmp/cmp"
)

// TestAModelIsOfferedAndChosen: what is on this computer, or a vendor's with a key. A dialog that is left keeps what was typed,
// but never a key. What was found is named before anybody asks.
func TestAModelIsOfferedAndChosen(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	choices := make(chan map[string]string, 3)
	s.choose = func(choice map[string]string) (object, error) {
		choices <- choice
		if choice["key"] == "wrong" {
			return nil, errors.New("that is no key of OpenAI")
		}
		return object{"speaker": "gpt speaks for the bot", "demo": false}, nil
	}
	b := show(t, s, noisyDesktop) // the first key is refused
	b.wait(`document.querySelector('#choose-model')?.textContent === 'Use Ollama: tiny'`)
	b.click("#choose-model")
	b.wait(`document.activeElement.matches('dialog select')`)
	b.frames()
	b.shoot("model")
	options := eval[[]string](b, `[...document.querySelectorAll('dialog option')].map((option) => option.value)`)
	if diff := cmp.Diff([]string{"Ollama: tiny", "OpenAI, with a key", "The script, which costs nothing"}, options); diff != "" {
		t.Errorf("offered (-want +got):\n%s", diff)
	}
	b.run(`document.querySelector('dialog select').value = 'OpenAI, with a key'`)
	b.run(`document.querySelector('dialog [type=password]').focus()`)
	b.keys("wrong\r")
	b.wait(`document.querySelector('dialog .error-line').textContent === 'That is no key of OpenAI.'`)
	b.keys(kb.Escape)
	b.wait(`!document.querySelector('dialog')`)
	b.click("#choose-model")
	b.wait(`document.querySelector('dialog select')?.value === 'OpenAI, with a key' && document.querySelector('dialog [type=password]').value === ''`)
	b.run(`document.querySelector('dialog [type=password]').focus()`)
	b.keys("right\r")
	b.wait(`!document.querySelector('dialog') && document.querySelector('.who-answers').textContent === 'gpt speaks for the bot' && document.querySelector('#choose-model').textContent === 'Change'`)
	want := []map[string]string{{"vendor": "OpenAI", "key": "wrong"}, {"vendor": "OpenAI", "key": "right"}}
	if diff := cmp.Diff(want, []map[string]string{<-choices, <-choices}); diff != "" {
		t.Errorf("chosen (-want +got):\n%s", diff)
	}
}

func TestWhatWasTypedIntoADialogOutlivesEscape(t *testing.T) {
	t.Parallel()
	s := withForm(t)
	s.say("sam", generalID, "the launch is on Friday", nil)
	b := show(t, s, desktop)
	b.wait(`document.querySelector('.message')`)
	again := func() {
		b.run(`document.getElementById('scroller').focus()`)
		b.keys(kb.ArrowUp)
		b.wait(`document.querySelector('.tools [data-do=pick]')`)
		b.run(`document.querySelector('.tools [data-do=pick]').click()`)
		b.wait(`document.querySelector('dialog textarea')`)
	}
	again()
	b.keys("When exactly?" + kb.Escape)
	b.wait(`!document.querySelector('dialog')`)
	again()
	b.wait(`document.querySelector('dialog textarea').value === 'When exactly?'`)
}
