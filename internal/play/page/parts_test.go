package page_test

import (
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/google/go-cmp/cmp"
)

// files is an expression for files as a browser passes them.
const files = `(() => {
	const data = new DataTransfer();
	data.items.add(new File(['one'], 'one.txt', { type: 'text/plain' }));
	data.items.add(new File(['two'], 'two.txt', { type: 'text/plain' }));
	return data;
})()`

func TestFilesAreAttached(t *testing.T) {
	t.Parallel()
	for name, hand := range map[string]string{
		"by pasting":  `document.getElementById('writing').dispatchEvent(new ClipboardEvent('paste', { clipboardData: ` + files + `, bubbles: true, cancelable: true }))`,
		"by dropping": `for (const kind of ['dragenter', 'dragover', 'drop']) document.getElementById('scroller').dispatchEvent(new DragEvent(kind, { dataTransfer: ` + files + `, bubbles: true, cancelable: true }))`,
		"by choosing": `const input = document.querySelector('input[type=file]'); input.files = ` + files + `.files; input.dispatchEvent(new Event('change'))`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStub(t)
			b := show(t, s, desktop)
			b.run(hand)
			b.wait(`document.querySelectorAll('.chip').length === 2`)
			b.click(`.chip [aria-label="Take one.txt away"]`)
			b.wait(`document.querySelectorAll('.chip').length === 1 && document.activeElement.id === 'writing'`)
			b.keys("see\r")
			b.wait(`document.querySelector('.file .file-name')?.textContent === 'two.txt' && document.querySelector('.chips').hidden`)
			if got := eval[string](b, `document.querySelector('a.file').getAttribute('href') + ' ' + document.querySelector('a.file').download`); got != "/attachments/1/2/two.txt two.txt" {
				t.Errorf("the file is saved from %q", got)
			}
			if diff := cmp.Diff([]string{"see"}, s.contents(generalID)); diff != "" {
				t.Errorf("messages (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRefusedFilesArePutBack(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	s.refuse("POST /messages", "the file is too large")
	b := show(t, s, noisyDesktop)
	b.run(`document.getElementById('writing').dispatchEvent(new ClipboardEvent('paste', { clipboardData: ` + files + `, bubbles: true, cancelable: true }))`)
	b.keys("\r")
	b.wait(`document.getElementById('composer-error').textContent === 'The file is too large.' && document.querySelectorAll('.chip').length === 2`)
}

// watchWords records the texts of an element from now on. Some are there for a moment
// only.
func watchWords(selector string) string {
	return `window.words = [];
		const node = document.querySelector(` + quote(selector) + `);
		new MutationObserver(() => window.words.push(node.ariaLabel ?? node.textContent)).observe(node, { attributes: true, childList: true })`
}

func TestCodeIsCopiedUnchanged(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	m := s.say("DiscoClaw", generalID, "```go\nx := 1\n```", nil)
	b := show(t, s, desktop)
	b.run(`Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (text) => { window.copied = text } } })`)
	s.change(generalID, m["id"].(string), object{"content": "```go\nx := 1\n\ty := \"<b>\"\n```"})
	b.wait(`document.querySelector('pre').textContent.includes('y')`)
	b.run(watchWords(".code-copy"))
	b.click(".code-copy")
	b.wait(`window.words.includes('Copied')`)
	if got := eval[string](b, `window.copied`); got != "x := 1\n\ty := \"<b>\"" {
		t.Errorf("copied %q", got)
	}
	b.wait(`document.querySelector('.code-copy').textContent === 'Copy'`)
}

func TestSpoilerOpensAndStaysOpen(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	m := s.say("DiscoClaw", generalID, "the end: ||they live||", nil)
	b := show(t, s, desktop)
	hidden := `getComputedStyle(document.querySelector('.spoiler-text')).visibility === 'hidden'`
	b.wait(hidden)
	b.run(`document.querySelector('.spoiler').focus()`)
	b.keys("\r")
	b.wait(`!(` + hidden + `)`)
	s.change(generalID, m["id"].(string), object{"content": "the end: ||they live|| and more"})
	b.wait(`document.querySelector('.message .rich').textContent.includes('and more') && !(` + hidden + `)`)
}

// TestEventsDoNotMoveTheFocus to another element.
func TestEventsDoNotMoveTheFocus(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	m := s.say("DiscoClaw", generalID, "press", object{"buttons": [][]object{{{"id": "a", "label": "Yes", "style": 1, "disabled": false}}}})
	b := show(t, s, desktop)
	n := 0
	for _, selector := range []string{`.channel[title=ops]`, `.press`, `#speak-as`, `#writing`, `.tab`, `.message`} {
		b.run(`document.querySelector('` + selector + `').focus(); window.had = document.activeElement`)
		n++
		s.publish("channel", channelOf(id(70+n), "another", "text", "", 0))
		s.publish("world", object{})
		s.say("sam", opsID, "hello", nil)
		s.change(generalID, m["id"].(string), object{"content": "press " + id(n)})
		b.wait(`document.querySelector('.message .rich p').textContent === 'press ` + id(n) + `'`)
		b.frames()
		if !eval[bool](b, `document.activeElement === window.had && window.had.isConnected`) {
			t.Errorf("%s lost the focus to %q", selector, eval[string](b, focused))
		}
	}
	b.run(`document.getElementById('scroller').focus()`)
	b.keys(kb.ArrowUp)
	b.wait(`document.activeElement.classList.contains('message')`)
}

func TestSeveralPicturesStandSideBySide(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	file := func(name, kind string) object {
		return object{"name": name, "type": kind, "size": 2048, "url": "/attachments/1/2/" + name}
	}
	s.say("DiscoClaw", generalID, "three views", object{"attachments": []object{file("a.png", "image/png"), file("notes.txt", "text/plain"), file("b.png", "image/png"), file("c.png", "image/png; q=1")}})
	b := show(t, s, desktop)
	b.wait(`[...document.querySelectorAll('.picture img')].filter((i) => i.complete).length === 3`)
	tops := eval[[]float64](b, `[...document.querySelectorAll('.picture, .file')].map((n) => Math.round(n.getBoundingClientRect().top))`)
	if len(tops) != 4 || tops[0] != tops[1] || tops[1] != tops[2] || tops[3] <= tops[0] {
		t.Errorf("the pictures and the file begin at %v from the top, want one row and the file below it", tops)
	}
}
