package page_test

import (
	"fmt"
	"strings"
	"testing"
)

const (
	gapBelow = `(() => { const s = document.getElementById('scroller'); return s.scrollHeight - s.clientHeight - s.scrollTop })()`
	rows     = `document.querySelectorAll('.message').length`
	elements = `document.querySelectorAll('*').length`
)

// topOf is the position of a message's row on the screen.
func topOf(message string) string {
	return fmt.Sprintf(`document.querySelector('[data-id="%s"]').getBoundingClientRect().top`, message)
}

func TestTenThousandMessagesAreFewElements(t *testing.T) {
	t.Parallel()
	const all = 10000
	s := newStub(t)
	s.fill(generalID, all)
	b := show(t, s, desktop)
	newest := fmt.Sprintf(`document.querySelector('.message:last-child').textContent.includes('message %d')`, all-1)
	b.wait(newest)
	t.Logf("first paint with %d messages: %.0f ms", all, eval[float64](b, `performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? -1`))
	t.Logf("messages on the screen after %.0f ms", eval[float64](b, `performance.now()`))
	most := eval[int](b, elements)

	// All the way up; older messages are loaded near the top. A few steps at a time: a busy
	// machine may take minutes for all of them.
	for there := false; !there; there = eval[bool](b, `!!document.querySelector('.beginning')`) {
		most = max(most, eval[int](b, `(async () => {
			const scroller = document.getElementById('scroller');
			let most = 0;
			for (let step = 0; step < 20 && !document.querySelector('.beginning'); step++) {
				scroller.scrollTop = 0;
				await new Promise((next) => requestAnimationFrame(next));
				most = Math.max(most, `+elements+`);
			}
			return most;
		})()`))
	}
	// The view does not move when older messages are loaded, so it has to be scrolled again.
	b.wait(`(document.getElementById('scroller').scrollTop = 0, document.querySelector('.message').textContent.includes('message 0'))`)
	if n := eval[int](b, `Number(document.getElementById('scroller').scrollHeight)`); n < all*20 {
		t.Errorf("%d messages are %d pixels high; their room is not kept", all, n)
	}
	if most > 1500 {
		t.Errorf("there were up to %d elements; only what is near the screen should be there", most)
	}
	t.Logf("at most %d elements", most)

	// And to the middle at once.
	b.run(`document.getElementById('scroller').scrollTop = 150000`)
	b.wait(`(() => {
		const scroller = document.getElementById('scroller').getBoundingClientRect();
		return document.elementFromPoint(scroller.left + 200, scroller.top + 200)?.closest('.message');
	})()`)
	b.click("#newer")
	b.wait(gapBelow + ` < 2 && ` + newest)
}

func TestLoadingOlderMessagesDoesNotMoveTheView(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	s.fill(generalID, 400)
	b := show(t, s, desktop)
	b.frames()
	moved := eval[float64](b, `(async () => {
		const scroller = document.getElementById('scroller');
		const frame = () => new Promise((next) => requestAnimationFrame(next));
		let most = 0;
		for (let step = 0; step < 30; step++) {
			scroller.scrollTop -= 240;
			await frame();
			const row = document.elementFromPoint(600, 300)?.closest('.message');
			if (!row) continue;
			const before = row.getBoundingClientRect().top;
			await frame();
			await frame();
			if (row.isConnected) most = Math.max(most, Math.abs(row.getBoundingClientRect().top - before));
		}
		return most;
	})()`)
	if moved > 1.5 {
		t.Errorf("a message moved by %.1f pixels while older ones came in", moved)
	}
	b.wait(`document.querySelector('.beginning') || document.querySelector('.lead-more')`)
}

func TestNewMessagesDoNotMoveAScrolledView(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	s.fill(generalID, 120)
	b := show(t, s, desktop)
	b.run(`document.getElementById('scroller').scrollTop -= 900`)
	b.frames()
	read := eval[string](b, `document.elementFromPoint(600, 300).closest('.message').dataset.id`)
	before := eval[float64](b, topOf(read))

	s.say("DiscoClaw", generalID, "one", nil)
	grown := s.say("DiscoClaw", generalID, "two", nil)
	above := s.messages[generalID][30]["id"].(string)
	for i := range 10 {
		s.change(generalID, grown["id"].(string), object{"content": strings.Repeat("two and more\n", i+1)})
		s.change(generalID, above, object{"content": strings.Repeat("this was further up\n", i+1)})
	}
	b.wait(`document.getElementById('newer').textContent.includes('2 new messages')`)
	b.frames()
	if after := eval[float64](b, topOf(read)); after-before > 1 || before-after > 1 {
		t.Errorf("the message that is read moved from %.1f to %.1f", before, after)
	}
	b.click("#newer")
	b.wait(gapBelow + ` < 2 && document.getElementById('newer').hidden`)
}

func TestAnswerGrowsInPlace(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	s.fill(generalID, 60)
	b := show(t, s, desktop)
	answer := s.say("DiscoClaw", generalID, "The answer", nil)
	id := answer["id"].(string)
	row := fmt.Sprintf(`document.querySelector('[data-id="%s"]')`, id)
	b.wait(row)
	b.run(row + `.mark = 'same row'; ` + row + `.querySelector('p').mark = 'same paragraph'`)
	b.run(`getSelection().selectAllChildren(` + row + `.querySelector('.author'))`)

	// Every frame is checked: whether the newest is in view, and the row is there.
	b.run(`window.jumps = []; const look = () => {
		const gap = ` + gapBelow + `;
		if (gap > 2) window.jumps.push(gap);
		if (!` + row + `) window.jumps.push('gone');
		requestAnimationFrame(look);
	}; look()`)
	text := "The answer"
	for i := range 40 {
		text += fmt.Sprintf(" grows by word %d,\n", i)
		s.change(generalID, id, object{"content": text, "edited": i > 0})
	}
	text += "\n```go\nx := 1\n```\ndone"
	s.change(generalID, id, object{"content": text, "edited": true})
	b.wait(row + `.textContent.includes('done')`)
	b.frames()
	if got := eval[string](b, row+`.mark + ', ' + `+row+`.querySelector('p').mark`); got != "same row, same paragraph" {
		t.Errorf("the answer was built anew: %s", got)
	}
	if got := eval[string](b, `getSelection().toString()`); got != "DiscoClaw" {
		t.Errorf("the selection became %q", got)
	}
	if jumps := eval[[]any](b, `window.jumps`); len(jumps) > 0 {
		t.Errorf("the view jumped: %v", jumps)
	}
}

func TestPicturesDoNotScrollTheNewestAway(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	s.fill(generalID, 30)
	b := show(t, s, desktop)
	s.say("sam", generalID, "look", object{"attachments": []object{{"name": "a.png", "type": "image/png", "size": 9, "url": "/attachments/1/2/a.png"}}})
	b.wait(`document.querySelector('.picture img')?.complete && document.querySelector('.picture img').naturalWidth === 320`)
	b.wait(gapBelow + ` < 2`)
}

func TestReplyJumpsToAnOldMessage(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	s.fill(generalID, 600)
	old := s.messages[generalID][20]["id"].(string)
	s.say("DiscoClaw", generalID, "about that", object{"replyTo": object{"id": old, "author": "you", "excerpt": "message 20"}})
	b := show(t, s, desktop)
	b.click("button.reply-line")
	b.wait(fmt.Sprintf(`document.activeElement?.dataset.id === '%s'`, old))
	if y := eval[float64](b, topOf(old)); y < 60 || y > 700 {
		t.Errorf("the old message is at %.0f, which is not on the screen", y)
	}
}

func TestMessagesAreGroupedByAuthorAndDay(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	s.say("you", generalID, "first", nil)
	s.say("you", generalID, "second", nil)
	s.say("sam", generalID, "third", nil)
	s.say("sam", generalID, "fourth", object{"replyTo": object{"id": "1", "author": "", "excerpt": ""}})
	b := show(t, s, desktop)
	b.wait(rows + ` === 4`)
	got := eval[string](b, `[...document.querySelectorAll('.message')].map((m) => (m.querySelector('.day') ? 'day ' : '') + (m.querySelector('.avatar') ? 'head ' : '') + m.querySelector('.rich').textContent).join('; ')`)
	if want := "day head first; second; head third; head fourth"; got != want {
		t.Errorf("groups are %q, want %q", got, want)
	}
	if got := b.text("span.reply-line"); got != "a message that is gone" {
		t.Errorf("the answer to a message that is gone shows %q", got)
	}
}
