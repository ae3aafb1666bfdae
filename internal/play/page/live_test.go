package page_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestALostConnectionIsShownAndReopened(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	s.fill(generalID, 30)
	b := show(t, s, noisyDesktop) // the browser logs failed requests
	b.click("#writing")
	b.keys("half a thought")
	s.setDown(true)
	b.wait(`!document.getElementById('banner').hidden`)
	if got := b.text("#banner"); !strings.Contains(got, "does not answer") || !strings.Contains(got, "What you typed is kept") {
		t.Errorf("the banner says %q", got)
	}

	// A message sent now returns to the field, with the reason next to it.
	b.keys("\r")
	b.wait(`!document.getElementById('composer-error').hidden`)
	if got := eval[string](b, `document.getElementById('writing').value`); got != "half a thought" {
		t.Errorf("after a failure to send, the field has %q", got)
	}

	missed := s.say("DiscoClaw", generalID, "said meanwhile", nil)
	gone := s.messages[generalID][29]["id"].(string)
	s.remove(generalID, gone)
	s.setDown(false)
	b.run(`document.querySelector('#banner button').click()`)
	b.wait(`document.getElementById('banner').hidden && document.querySelector('[data-id="` + missed["id"].(string) + `"]')`)
	if eval[bool](b, `Boolean(document.querySelector('[data-id="`+gone+`"]'))`) {
		t.Error("a message that was deleted meanwhile is still shown")
	}
	if got := eval[string](b, `document.getElementById('writing').value`); got != "half a thought" {
		t.Errorf("after the connection was mended, the field has %q", got)
	}
}

func TestABrokenStreamIsReopened(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	b := show(t, s, noisyDesktop)
	s.cut()
	s.say("DiscoClaw", generalID, "said in the gap", nil)
	b.wait(`document.getElementById('feed').textContent.includes('said in the gap')`)
}

func TestAGapDoesNotMoveAScrolledView(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	s.fill(generalID, 300)
	b := show(t, s, noisyDesktop)
	b.run(`const s = document.getElementById('scroller'); for (let i = 0; i < 30; i++) { s.scrollTop -= 300; await new Promise((next) => requestAnimationFrame(next)) }`)
	b.frames()
	read := eval[string](b, `document.elementFromPoint(600, 300).closest('.message').dataset.id`)
	before := eval[float64](b, topOf(read))
	s.cut()
	s.say("DiscoClaw", generalID, "said in the gap", nil)
	b.wait(`document.querySelector('#channels').textContent && performance.getEntriesByType('resource').filter((r) => r.name.includes('/api/world')).length > 1`)
	b.wait(`document.getElementById('feed').getAttribute('aria-busy') === 'false'`)
	b.frames()
	if after := eval[float64](b, topOf(read)); after-before > 1 || before-after > 1 {
		t.Errorf("the message that is read moved from %.1f to %.1f", before, after)
	}
}

func TestAFormerMemberIsReplacedAsSpeaker(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	b := open(t, s, noisyDesktop)
	b.visit(s.URL + "/mark.svg")
	b.run(`sessionStorage.setItem('speaker', 'somebody who left')`)
	b.visit(s.URL)
	b.wait(`document.querySelector('.speak-name')?.textContent === 'you'`)
}

// TestAfterAPlaygroundRestartTheMemberIsFoundByName: a new world has new IDs.
func TestAfterAPlaygroundRestartTheMemberIsFoundByName(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	b := show(t, s, noisyDesktop)
	b.click("#speak-as")
	b.click(".person:nth-child(2)")
	b.wait(`document.querySelector('.speak-name').textContent === 'sam'`)
	s.mu.Lock()
	s.people[1]["id"], s.people[1]["note"] = id(500), "new here"
	for i, c := range s.channels {
		c["id"] = id(600 + i)
	}
	s.mu.Unlock()
	s.cut()
	b.wait(`document.querySelector('.channel[aria-current]').getAttribute('href') === '#channel/` + id(600) + `' && document.querySelector('.speak-name').textContent === 'sam'`)
}

func TestUnreadChannelsAreMarked(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	b := show(t, s, desktop)
	s.say("sam", opsID, "hello", nil)
	ops := `document.querySelector('a[href="#channel/` + opsID + `"]')`
	b.wait(ops + `.hasAttribute('data-unread')`)
	s.say("sam", opsID, "<@"+youID+"> look", nil)
	b.wait(ops + `.querySelector('.count')?.textContent === '1'`)
	b.run(ops + `.click()`)
	b.wait(`document.querySelector('.unread-line')`)
	b.wait(`!` + ops + `.hasAttribute('data-unread') && !` + ops + `.querySelector('.count')`)
	if got := b.text("h1"); got != "ops" {
		t.Errorf("the channel shown is %q", got)
	}
	// The member's own messages are read.
	s.say("you", generalID, "hi", nil)
	s.say("sam", generalID, "hi", nil)
	b.wait(`document.querySelector('a[href="#channel/` + generalID + `"]').hasAttribute('data-unread')`)
}

func TestChannelsAppearMoveAndGo(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	b := show(t, s, desktop)
	names := `[...document.querySelectorAll('.channel-name')].map((n) => n.textContent).join(', ')`
	if got, want := eval[string](b, names), "general, Launch plan, ops, questions, How do I start?"; got != want {
		t.Errorf("channels are %q, want %q", got, want)
	}
	ideas := channelOf(id(50), "ideas", "text", "", 1)
	s.publish("channel", ideas)
	b.wait(names + ` === 'general, Launch plan, ideas, ops, questions, How do I start?'`)
	ideas["name"], ideas["parent"], ideas["position"] = "better-ideas", categoryID, 0
	s.publish("channel", ideas)
	b.wait(names + ` === 'general, Launch plan, ops, better-ideas, questions, How do I start?'`)
	b.run(`location.hash = '#channel/` + id(50) + `'`)
	b.wait(`document.querySelector('h1').textContent === 'better-ideas'`)
	s.publish("channelGone", object{"id": id(50)})
	b.wait(names + ` === 'general, Launch plan, ops, questions, How do I start?' && document.querySelector('h1').textContent === 'general'`)
}

func TestTypingIsShownUntilTheMessageComes(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	b := show(t, s, desktop)
	s.publish("typing", object{"channel": generalID, "name": "DiscoClaw"})
	b.wait(`document.getElementById('typing').textContent === 'DiscoClaw is writing…'`)
	s.say("DiscoClaw", generalID, "here", nil)
	b.wait(`document.getElementById('typing').textContent === ''`)
}

func TestADeletedMessageDisappears(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	m := s.say("you", generalID, "oops", nil)
	b := show(t, s, desktop)
	b.wait(rows + ` === 1`)
	s.remove(generalID, m["id"].(string))
	b.wait(rows + ` === 0 && document.querySelector('.beginning')`)
}

func TestPressedButtonWaitsAndAnswers(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	answers := make(chan error)
	s.press = func(string) (string, error) {
		if err := <-answers; err != nil {
			return "", err
		}
		return "Noted, **only** for you", nil
	}
	s.say("DiscoClaw", generalID, "choose", object{"buttons": [][]object{{{"id": "a", "label": "Yes", "style": 1, "disabled": false}, {"id": "b", "label": "No", "style": 4, "disabled": false}, {"id": "", "label": "Docs", "style": 5, "disabled": false, "url": "https://example.com/"}}}})
	b := show(t, s, noisyDesktop) // the browser logs the failed response
	b.click("[data-button=a]")
	b.wait(`document.querySelector('[data-button=a]').getAttribute('aria-busy') === 'true' && document.querySelectorAll('button.press[aria-disabled=true]').length === 2`)
	b.click("[data-button=b]") // a second press has to wait for the first
	answers <- nil
	b.wait(`document.querySelector('.note strong')?.textContent === 'only'`)
	if got := b.text(".note .only-you"); got != "Only you can see this·Dismiss message" {
		t.Errorf("the note says %q", got)
	}
	b.click("[data-do=dismiss]")
	b.wait(`!document.querySelector('.note')`)
	if n := len(s.requests("POST")); n != 1 {
		t.Errorf("%d buttons were pressed, want 1", n)
	}

	b.click("[data-button=a]")
	answers <- errors.New("the bot did not answer within three seconds")
	b.wait(`document.querySelector('.note[data-tone=error]')?.textContent.startsWith('The bot did not answer within three seconds.')`)
	if got := eval[string](b, `document.querySelector('a.press').href`); got != "https://example.com/" {
		t.Errorf("the button that is a link leads to %q", got)
	}
}

// TestAnEphemeralAnswerIsShownOnce: the answer to a button arrives twice, as the response
// to the request and as a message.
func TestAnEphemeralAnswerIsShownOnce(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	s.press = func(string) (string, error) {
		s.say("DiscoClaw", generalID, "just for you", object{"onlyYou": true})
		return "just for you", nil
	}
	s.say("DiscoClaw", generalID, "choose", object{"buttons": [][]object{{{"id": "a", "label": "Yes", "style": 1, "disabled": false}}}})
	b := show(t, s, desktop)
	b.click("[data-button=a]")
	b.wait(`!document.querySelector('[aria-busy=true]') && document.querySelector('[data-only-you]')`)
	b.frames()
	if eval[bool](b, `Boolean(document.querySelector('.note'))`) {
		t.Error("the answer is shown a second time")
	}
}

func TestReactionsAreToggled(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	m := s.say("sam", generalID, "nice", object{"reactions": []object{{"emoji": "👍", "count": 1, "mine": false, "who": []string{"sam"}}}})
	b := show(t, s, noisyDesktop)
	b.click("[data-emoji]")
	b.wait(`document.querySelector('[data-emoji]').getAttribute('aria-pressed') === 'true'`)
	b.click("[data-emoji]")
	b.wait(`!document.querySelector('[data-emoji]')`)
	path := "/api/channels/" + generalID + "/messages/" + m["id"].(string) + "/reactions/👍 as=" + youID
	if diff := cmp.Diff([]string{"PUT " + path}, s.requests("PUT")); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	s.refuse("PUT /🎉", "sam has blocked you")
	s.change(generalID, m["id"].(string), object{"reactions": []object{{"emoji": "🎉", "count": 1, "mine": false, "who": []string{"sam"}}}})
	b.wait(`document.querySelector('[data-emoji]')`)
	b.click("[data-emoji]")
	b.wait(`document.querySelector('.note[data-tone=error]')?.textContent.startsWith('Sam has blocked you.')`)
}

func TestErrorsAreShownNextToTheirCause(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	s.say("sam", opsID, "hello", nil)
	b := show(t, s, noisyDesktop)
	s.refuse("GET /messages", "the channel is closed for repairs")
	b.run(`location.hash = '#channel/` + opsID + `'`)
	b.wait(`document.querySelector('.lead-problem')?.textContent === 'The channel is closed for repairs. Try again'`)
	s.allow("GET /messages")
	b.click(".lead-problem button")
	b.wait(rows + ` === 1 && !document.querySelector('.lead-problem')`)

	s.refuse("POST /threads", "threads are not allowed here")
	b.run(`document.querySelector('.message').focus()`)
	b.click(".tools [data-do=thread]")
	b.wait(`document.querySelector('dialog[open]')`)
	b.keys("\r")
	b.wait(`document.querySelector('dialog .error-line')?.textContent === 'Threads are not allowed here.'`)
}

func TestRefusedMessageComesBackWithTheReason(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	b := show(t, s, noisyDesktop)
	s.refuse("POST /messages", "you are timed out until tomorrow")
	b.click("#writing")
	b.keys("let me in\r")
	b.wait(`document.getElementById('composer-error').textContent === 'You are timed out until tomorrow.'`)
	if got := eval[string](b, `document.getElementById('writing').value`); got != "let me in" {
		t.Errorf("the field has %q", got)
	}
}

func TestDraftsBelongToTheirChannelAndOutliveAReload(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	b := show(t, s, desktop)
	b.click("#writing")
	b.keys("for general")
	b.run(`location.hash = '#channel/` + opsID + `'`)
	b.wait(`document.querySelector('h1').textContent === 'ops' && document.getElementById('writing').value === ''`)
	b.visit(s.URL + "/#channel/" + generalID)
	b.wait(`document.querySelector('h1')?.textContent === 'general' && document.getElementById('writing').value === 'for general'`)
}

func TestTheSpeakerCanBeChanged(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	b := show(t, s, desktop)
	b.run(`location.hash = '#channel/` + opsID + `'`)
	b.wait(`document.querySelector('h1').textContent === 'ops'`)
	b.click("#speak-as")
	b.wait(`document.querySelectorAll('.person').length === 2`)
	if got := b.text(".person:nth-child(2) .person-note"); got != "may write, but not in #ops" {
		t.Errorf("the note of sam is %q", got)
	}
	b.click(".person:nth-child(2)")
	b.wait(`document.querySelector('.speak-name').textContent === 'sam' && document.getElementById('writing').disabled`)
	if got := eval[string](b, `document.getElementById('writing').placeholder`); got != "sam may not write in #ops" {
		t.Errorf("the field says %q", got)
	}
	b.run(`location.hash = '#channel/` + generalID + `'`)
	b.wait(`!document.getElementById('writing').disabled`)
	b.click("#writing")
	b.keys("it is me\r")
	b.wait(rows + ` === 1`)
	if diff := cmp.Diff([]string{"POST /api/channels/" + generalID + "/messages as=" + samID}, s.requests("POST")); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

func TestOneClickTriesAnIdea(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	s.ideas = []object{{"text": "write to @DiscoClaw in #ops", "why": "to see the gate"}, {"text": "delete everything", "as": "sam", "channel": "general"}, {"text": "x", "as": "nobody"}}
	b := show(t, s, desktop)
	b.wait(`document.querySelectorAll('.idea').length === 3`)
	b.click("#writing")
	b.keys("my own words")
	b.click(".ideas li:nth-child(1) .idea")
	b.wait(rows + ` === 1`)
	if diff := cmp.Diff([]string{"write to <@" + botID + "> in #ops"}, s.contents(generalID)); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
	if got := eval[string](b, `document.getElementById('writing').value`); got != "my own words" {
		t.Errorf("what was typed became %q", got)
	}
	b.click(".ideas li:nth-child(2) .idea")
	b.wait(rows + ` === 2`)
	// Another person speaks for one idea only.
	if diff := cmp.Diff([]string{"POST /api/channels/" + generalID + "/messages as=" + youID, "POST /api/channels/" + generalID + "/messages as=" + samID}, s.requests("POST")); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	if got := b.text(".speak-name"); got != "you" {
		t.Errorf("%s speaks after the idea", got)
	}
	b.click(".ideas li:nth-child(3) .idea")
	b.wait(`document.querySelector('.ideas .error-line')?.textContent === 'There is nobody called nobody here.'`)
}

// TestIdeasFitWhoSpeaksAndWhere: a click says what stands there, also after the list has changed.
func TestIdeasFitWhoSpeaksAndWhere(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	s.ideas = []object{{"text": "say hi in #secret"}, {"text": "look at #ops"}, {"text": "hello?", "as": "sam"}, {"text": "just us", "where": "dm"}, {"text": "last"}}
	s.channels = append(s.channels, channelOf(id(60), "DiscoClaw", "dm", "", 0))
	s.about["strangers"] = []string{samID}
	b := show(t, s, desktop)
	texts := `[...document.querySelectorAll('.idea-text')].map((one) => one.textContent).join(', ')`
	b.wait(texts + ` === 'look at #ops, hello?, last'`)
	b.run(`location.hash = '#channel/` + id(60) + `'`)
	b.wait(texts + ` === 'just us'`)
	b.click(".idea")
	b.wait(rows + ` === 1`)
	if got := s.contents(id(60)); len(got) != 1 || got[0] != "just us" {
		t.Errorf("it says %q", got)
	}
	s.publish("channel", channelOf(id(61), "secret", "text", "", 9))
	b.run(`location.hash = '#channel/` + generalID + `'`)
	b.wait(texts + ` === 'say hi in #secret, look at #ops, hello?, last'`)
	b.becomes("sam")
	b.wait(texts + ` === 'hello?'`)
	s.ideas = nil
	b.wait(`document.querySelector('.composer-silence').textContent.includes('sam is not on the bot’s list')`)
}

func TestItIsSaidWhyAMessageGetsNoAnswer(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	m := s.say("sam", generalID, "is anybody there?", nil)
	b := show(t, s, desktop)
	s.publish("silence", object{"channel": generalID, "message": m["id"], "why": "No answer: sam is not on the bot’s list of people."})
	b.wait(`document.querySelector('.message .silence')?.textContent === 'No answer: sam is not on the bot’s list of people.'`)
	b.wait(`document.getElementById('announcer').textContent.includes('No answer: sam')`)
}

func TestLastTurnIsShown(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	s.ideas = []object{{"text": "try this"}}
	b := show(t, s, desktop)
	b.wait(`document.querySelector('.idea')`)
	s.publish("turn", exampleTurn())
	b.wait(`!document.getElementById('turn').hidden && document.querySelectorAll('.act').length === 4`)
	for _, want := range []string{"make me a channel called ideas", "you asked in #general at ", "1.8 s", "2 rounds", "7 calls", "instructions", "9.2 kB", "channelCreate", "refused", "Moderation is switched off"} {
		if got := b.text("#turn"); !strings.Contains(got, want) {
			t.Errorf("the panel does not show %q:\n%s", want, got)
		}
	}
	// An action that waits for approval is not shown as done, and a command not as an empty turn.
	s.publish("turn", object{"id": "t4", "rounds": []object{{"actions": []object{{"type": "channelDelete", "verdict": "held", "reason": "Delete <#" + opsID + "> with all its messages.", "line": "Asked: channelDelete: not done yet"}}}}})
	b.wait(`document.querySelector('.act[data-verdict=held]')?.textContent.includes('Delete #ops with all its messages.')`)
	s.publish("turn", object{"id": "t5", "command": "undo", "by": "you", "asked": "!undo", "tookMs": 3, "restCalls": 0, "rounds": []object{}})
	b.wait(`document.querySelector('.turn-command')?.textContent.startsWith('!undo is a command.')`)
	if got := b.text("#turn"); strings.Contains(got, "call") {
		t.Errorf("a command is shown with calls that were not counted: %s", got)
	}
	// Broken answers are shown as such.
	s.publish("turn", object{"id": "t6", "model": "m", "rounds": []object{{"answerBytes": 40, "actions": []object{{"type": "unreadable action", "verdict": "broken", "line": "Cut off before its end, so nothing of it was done, and the model was told so.", "reason": "the object is not closed"}}}, {"answerBytes": 0, "flaw": "the answer was empty", "actions": []object{}}}})
	b.wait(`document.querySelector('.act[data-verdict=broken]')?.textContent.includes('nothing of it was done') && document.querySelector('.round-flaw')?.textContent === 'The answer was empty.' && !document.querySelector('.no-acts')`)
	b.shoot("broken")
	s.publish("turn", object{"id": "t7", "model": "m", "error": "the answer was cut off", "rounds": []object{}})
	b.wait(`document.querySelector('.turn-model')?.textContent === 'no usable answer by m'`)
	// Whose turn it was, where and why, is said of whatever began it.
	s.clock["jobs"] = []object{{"id": "j1", "name": "Water the plants", "last": object{"slot": "2026-01-02T07:00:00Z", "ended": "2026-01-02T09:01:00Z", "why": "slot", "status": "success"}}}
	s.publish("clock", object{})
	for kind, want := range map[string]string{
		"reaction": "sam reacted to this in #ops at ", "follow-up": "A follow-up for sam in #ops at ",
		"job": "A run of the job Water the plants in #ops at ", "command": "sam used a command in #ops at ",
	} {
		s.publish("turn", object{"id": kind, "kind": kind, "job": "j1", "by": "sam", "channel": opsID, "began": "2026-01-02T09:00:50Z", "asked": "water", "rounds": []object{}})
		b.wait(`document.querySelector('.asked figcaption')?.textContent.startsWith(` + quote(want) + `)`)
	}
	s.publish("turn", object{"id": "t9", "kind": "job", "job": "j1", "by": "sam", "channel": opsID, "began": "2026-01-02T09:00:50Z", "asked": "water", "rounds": []object{}})
	b.wait(`document.querySelector('.asked-due')?.textContent.endsWith('and ran 2 hours late.')`)
	s.publish("turn", object{"id": "t10", "kind": "job", "job": "gone", "rounds": []object{}})
	b.wait(`document.querySelector('.asked figcaption').textContent === 'A run of a scheduled job '`)
	// What became of a card replaces what waited, unless another turn is shown by now.
	held := object{"id": "t11", "turn": "T11", "rounds": []object{{"actions": []object{{"type": "channelDelete", "verdict": "held", "reason": "Delete it."}}}}}
	s.publish("turn", held)
	b.wait(`document.querySelector('.act-verdict')?.textContent === 'waits for approval'`)
	for _, end := range []object{
		{"type": "channelDelete", "verdict": "done", "end": "approved by you", "line": "Done: deleted it"}, {"type": "channelDelete", "verdict": "dropped", "end": "rejected by ada", "reason": "Delete it."},
		{"type": "channelDelete", "verdict": "unclear", "end": "approved, but interrupted by a restart", "reason": "Delete it."},
	} {
		s.publish("turn", object{"id": "t11", "turn": "T11", "decided": true, "rounds": []object{{"actions": []object{end}}}})
		b.wait(fmt.Sprintf(`document.querySelector('.act[data-verdict=%s] .act-end')?.textContent.toLowerCase() === %s`, end["verdict"], quote(end["end"].(string)+".")))
	}
	s.publish("turn", object{"id": "t12", "turn": "T12", "asked": "another", "rounds": []object{}})
	s.publish("turn", object{"id": "t11", "turn": "T11", "decided": true, "asked": "the one before", "rounds": []object{}})
	s.publish("turn", object{"id": "t12", "turn": "T12", "asked": "another", "command": "trace", "rounds": []object{}})
	b.wait(`document.querySelector('.turn-command') && document.querySelector('.asked').textContent.includes('another')`)
	// Missing fields are left out.
	s.publish("turn", object{"id": "t2", "error": "the model did not answer"})
	b.wait(`document.querySelector('.turn-error')?.textContent === 'The model did not answer.'`)
	s.publish("turn", object{"id": "t3", "restCalls": []any{"GET /channels", object{"method": "POST", "path": "/messages", "status": 200}}, "rounds": []object{{}}})
	b.wait(`document.querySelectorAll('.calls li').length === 2`)
}

func TestPageWorksWithoutTheExtras(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	s.refuse("GET /about", "no")
	s.refuse("GET /ideas", "no")
	b := show(t, s, noisyDesktop)
	if got := b.text(".speak-name"); got != "you" {
		t.Errorf("%q speaks", got)
	}
	if eval[bool](b, `Boolean(document.querySelector('.tab:not([hidden])')?.textContent.includes('try'))`) {
		t.Error("there is a tab for ideas that are not there")
	}
}

// TestEventsWinOverOlderAnswers: a message that changes while its channel is being
// loaded is shown as in the event, not as in the response, which is older.
func TestEventsWinOverOlderAnswers(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	m := s.say("DiscoClaw", opsID, "old", nil)
	b := show(t, s, desktop)
	b.run(`
		const real = window.fetch;
		window.fetch = async (address, options) => {
			const answer = await real(address, options);
			if (String(address).includes('/messages')) await new Promise((go) => (window.go = go));
			return answer;
		};
		location.hash = '#channel/` + opsID + `'`)
	b.wait(`window.go`)
	s.change(opsID, m["id"].(string), object{"content": "new"})
	s.say("DiscoClaw", opsID, "and another", nil)
	s.publish("typing", object{"channel": opsID, "name": "sam"}) // comes after the other two
	b.wait(`document.getElementById('typing').textContent`)
	b.run(`window.go()`)
	b.wait(rows + ` === 2`)
	if got := eval[string](b, `[...document.querySelectorAll('.rich')].slice(-2).map((r) => r.textContent).join(', ')`); got != "new, and another" {
		t.Errorf("the channel shows %q", got)
	}
}

// TestChannelMadeWhileTheWorldIsLoadedIsNotLost: the response does not have it yet.
func TestChannelMadeWhileTheWorldIsLoadedIsNotLost(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	b := show(t, s, desktop)
	b.run(`
		const real = window.fetch;
		window.fetch = async (address, options) => {
			const answer = await real(address, options);
			if (String(address).includes('/world') && !window.go) await new Promise((go) => (window.go = go));
			return answer;
		}`)
	s.publish("world", object{})
	b.wait(`window.go`)
	ideas := channelOf(id(50), "ideas", "text", "", 1)
	s.mu.Lock()
	s.channels = append(s.channels, ideas)
	s.mu.Unlock()
	s.publish("channel", ideas)
	b.wait(`document.querySelector('.channel[title=ideas]')`)
	b.run(`window.go()`)
	b.wait(`performance.getEntriesByType('resource').filter((r) => r.name.includes('/api/world')).length > 2`)
	b.wait(`document.querySelector('.channel[title=ideas]')`)
}

func TestNewMessagesAreAnnouncedOnceTheyStopChanging(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	b := show(t, s, desktop)
	m := s.say("DiscoClaw", generalID, "thi", nil)
	s.change(generalID, m["id"].(string), object{"content": "this is **the** answer"})
	s.say("you", generalID, "my own", nil)
	b.wait(`document.getElementById('announcer').textContent === 'DiscoClaw: this is the answer'`)
}
