package page_test

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/play"
)

// These tests have the whole playground behind the page: the real bot, the fake
// Discord, and the demo instead of a model.

// quiet is a server on which nothing has happened yet.
const quiet = `
guild Playground: #general #random
category Work: #ops news:announcement help:forum tasks:forum crons:forum
bot DiscoClaw
member you: owner
member sam
stranger zed
deny #ops sam: Send Messages
`

// enter opens the playground on a quiet server in a tab. The bot is quick there.
func enter(t *testing.T, l look) *tab {
	t.Helper()
	return enterAt(t, l, time.Millisecond, quiet)
}

// enterAt is enter with a bot that takes some time for every word, and another server; an empty one is that of people.
func enterAt(t *testing.T, l look, pace time.Duration, layout string) *tab {
	t.Helper()
	return enterWith(t, l, play.Options{Pace: pace, Layout: layout})
}

// enterWith is enter with another playground.
func enterWith(t *testing.T, l look, o play.Options) *tab {
	t.Helper()
	startBrowser(t) // or skip, before anything else begins
	url, _ := serves(t, o)
	b := open(t, nil, l) // closed before the playground ends, about which the page would complain
	b.visit(url)
	b.enters()
	return b
}

// serves opens a playground. It ends with the test, or when close is called.
func serves(t *testing.T, o play.Options) (url string, close func()) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	ready, ended := make(chan string, 1), make(chan error, 1)
	o.Out, o.Log, o.Demo, o.Address = io.Discard, t.Output(), true, cmp.Or(o.Address, "127.0.0.1:0")
	o.Ready, o.Watch = func(url string) { ready <- url }, discordtest.Check(t)
	go func() { ended <- play.Serve(ctx, o) }()
	close = sync.OnceFunc(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("the playground ended with %v", err)
		}
	})
	t.Cleanup(close)
	select {
	case url = <-ready:
	case err := <-ended:
		ended <- err
		t.Fatalf("the playground did not open: %v", err)
	}
	return url, close
}

// enters waits until one can write.
func (b *tab) enters() {
	b.Helper()
	b.wait(`document.querySelectorAll('.channel').length > 3`)
	b.wait(`document.querySelector('#writing') && !document.querySelector('#writing').disabled`)
}

// says writes a message and sends it.
func (b *tab) says(text string) {
	b.Helper()
	b.run(`document.querySelector('#writing').focus()`)
	b.insert(text + " ") // the space ends the completion of a name
	b.enter()
}

// sees waits until a message contains a text.
func (b *tab) sees(text string) {
	b.Helper()
	b.wait(fmt.Sprintf("document.querySelector('#feed').textContent.includes(%s)", quote(text)))
}

// becomes chooses the speaker.
func (b *tab) becomes(name string) {
	b.Helper()
	b.click("#speak-as")
	b.wait(`document.querySelector('[role=option]')`)
	b.run(fmt.Sprintf(`[...document.querySelectorAll('[role=option]')].find((o) => o.textContent.includes(%s)).click()`, quote(name)))
	b.wait(fmt.Sprintf("document.querySelector('#speak-as').textContent.includes(%s)", quote(name)))
	b.wait(`document.querySelectorAll('.channel').length > 3`)
}

// goes to a channel.
func (b *tab) goes(channel string) {
	b.Helper()
	b.wait(fmt.Sprintf("document.querySelector('.channel[title=%s]')", quote(channel)))
	b.run(fmt.Sprintf("document.querySelector('.channel[title=%s]').click()", quote(channel)))
	b.wait(fmt.Sprintf("document.querySelector('#channel-title').textContent.includes(%s)", quote(channel)))
}

func TestAChannelIsCreatedAndAMessagePinned(t *testing.T) {
	t.Parallel()
	b := enterAt(t, look{width: 1280, height: 860}, time.Millisecond, "")
	b.click("[data-tour=leave]")
	b.says("make me a channel called ideas and pin a welcome message there")
	b.sees("Done: created #ideas")
	b.sees("pinned a message in #ideas")
	b.wait(`document.querySelector('#turn, #panel').textContent.includes('pinMessage')`)
	b.run(`const top = (node) => node.getBoundingClientRect().top;
		const panel = document.getElementById('panel');
		panel.scrollTop += top(document.querySelector('.asked')) - top(panel) - 64`) // to what it has done
	b.keep("playground")
	b.goes("ideas")
	b.sees("Welcome! Say hello")
	b.wait(`document.querySelector('.pinned-mark')`)
}

func TestAStreamIsSeenGrowingAndCanBeStopped(t *testing.T) {
	t.Parallel()
	b := enterAt(t, desktop, 100*time.Millisecond, quiet) // long enough to stop it
	b.says("tell me a story")
	b.sees("lighthouse keeper")
	b.wait(`[...document.querySelectorAll('.press')].some((p) => p.textContent.includes('Stop'))`)
	short := eval[int](b, `document.querySelector('#feed').textContent.length`)
	b.wait(fmt.Sprintf("document.querySelector('#feed').textContent.length > %d", short+30))
	b.run(`[...document.querySelectorAll('.press')].find((p) => p.textContent.includes('Stop')).click()`)
	b.sees("(Stopped by ")
	b.wait(`![...document.querySelectorAll('.press')].some((p) => p.textContent.includes('Stop'))`)
	if text := b.text("#feed"); strings.Contains(text, "The end.") {
		t.Errorf("it was not stopped: %s", text)
	}
}

func TestMembersHaveTheirRights(t *testing.T) {
	t.Parallel()
	b := enter(t, desktop)
	b.becomes("zed")
	b.wait(`document.querySelector('.composer-silence').textContent.includes('zed is not on the bot’s list')`)
	b.says("is anybody there?")
	b.sees("is anybody there?")
	b.becomes("sam")
	b.says("say hi in #ops")
	b.sees("you need Send Messages in #ops for that")
	b.wait(`document.querySelector('#panel').textContent.includes('failed')`)
	if text := b.text("#feed"); strings.Contains(text, "did not understand") {
		t.Errorf("the stranger got an answer: %s", text)
	}
}

// presses a button of the newest message that has one of that name.
func (b *tab) presses(label string) {
	b.Helper()
	found := fmt.Sprintf("[...document.querySelectorAll('button.press')].filter((p) => p.textContent === %s && !p.ariaDisabled).at(-1)", quote(label))
	b.wait(found)
	b.run(found + ".click()")
}

// shows waits until the panel contains a text.
func (b *tab) shows(text string) {
	b.Helper()
	b.wait(fmt.Sprintf("document.querySelector('#turn').textContent.includes(%s)", quote(text)))
}

func TestADestructiveActionNeedsApproval(t *testing.T) {
	t.Parallel()
	b := enter(t, desktop)
	b.says("delete #random")
	b.sees("with all its messages?")
	b.shows("not done yet; a person has been asked to approve itDelete #random")
	b.wait(`document.querySelector('.act[data-verdict=held]')`)
	b.frames()
	b.shoot("whole-card")

	b.becomes("sam")
	b.presses("Approve")
	b.sees("You can't answer this one:")
	b.wait(`document.querySelector('.message[data-only-you] .only-you')`)
	b.frames()
	b.shoot("whole-card-whisper")
	b.becomes("you")
	b.sees("without buttons:")
	if text := b.text("#feed"); strings.Contains(text, "Only the person who asked") {
		t.Errorf("you read what sam was told: %s", text)
	}
	b.presses("Approve")
	b.sees("Done: deleted #random")
	b.shows("Approved by you.Done: deleted #random")
	b.wait(`document.querySelector('.act[data-verdict=done]') && !document.querySelector('.act[data-verdict=held]')`)
	b.wait(`![...document.querySelectorAll('.press')].some((p) => p.textContent.includes('Approve')) && !document.querySelector('.channel[title=random]')`)
	b.frames()
	b.shoot("whole-card-done")

	b.becomes("sam")
	b.click("[data-do=leave]")
	b.wait(`document.querySelector('.message') && !document.querySelector('[data-only-you]')`)
}

func TestAnActionIsUndone(t *testing.T) {
	t.Parallel()
	b := enter(t, desktop)
	b.says("rename #random to odds")
	b.sees("Done: renamed #random to #odds")
	b.wait(`document.querySelector('.channel[title=odds]')`)
	b.says("!undo")
	b.sees("give #odds back the name random?")
	b.shows("!undo is a command.")
	b.frames()
	b.shoot("whole-undo")
	b.presses("Approve")
	b.sees("Done: renamed #odds to #random")
	b.shows("Its cardchannelEditdone")
	b.shows("Approved by you.")
	b.wait(`document.querySelector('.channel[title=random]')`)

	// The link of !trace leads to the request.
	b.says("!trace")
	b.sees("in this channel, newest first")
	b.wait(`document.querySelector('.rich a[data-do=jump]')`)
	b.frames()
	b.shoot("whole-trace")
	b.run(`[...document.querySelectorAll('.rich a[data-do=jump]')].at(-1).click()`)
	b.wait(`document.querySelector('[data-found]')?.textContent.includes('rename #random to odds')`)
}

func TestTheWholePlaygroundFitsItsScreen(t *testing.T) {
	t.Parallel()
	for name, l := range map[string]look{"desktop": desktop, "phone": phone, "dark": {width: 1280, height: 800, dark: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := enterAt(t, l, time.Millisecond, "")
			b.says("what channels do we have?")
			b.sees("channels:")
			b.frames()
			b.shoot("whole-" + name)
			if over := eval[int](b, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
				t.Errorf("%d pixels stand out to the right", over)
			}
		})
	}
}

func TestHostileTextFromTheBotDoesNotRun(t *testing.T) {
	t.Parallel()
	b := enter(t, desktop)
	b.says(`say <img src=x onerror="window.hurt=1"><script>window.hurt=1</script> in #random`)
	b.goes("random")
	b.sees("<script>window.hurt=1</script>")
	b.frames()
	if eval[bool](b, `window.hurt === 1`) {
		t.Error("it ran")
	}
}

func TestTheBotAnswersSlashCommands(t *testing.T) {
	t.Parallel()
	b := enter(t, noisyDesktop) // the stranger's command is refused
	b.click("#writing")
	b.slash("help\r\r")
	b.sees("Show what the bot is doing.")
	b.wait(`document.querySelector('.message[data-only-you] .only-you')`)
	b.frames()
	b.shoot("whole-help")
	b.says("rename #random to odds")
	b.sees("Done: renamed #random to #odds")
	b.slash("why\r")
	b.wait(`document.querySelector('.completion-option bdi')?.textContent.startsWith('https://discord.com/channels/')`)
	b.frames()
	b.shoot("whole-suggestions")
	b.keys("\r\r")
	b.wait(`document.querySelectorAll('.message[data-only-you]').length > 1 && document.querySelector('#writing').value === ''`)
	b.becomes("zed")
	b.click("#writing")
	b.slash("status\r\r")
	b.wait(`document.getElementById('composer-error').textContent.includes('the bot did not answer')`)
}

func TestTheBotIsAskedAboutAMessage(t *testing.T) {
	t.Parallel()
	b := enter(t, desktop)
	b.becomes("zed")
	b.says("is anybody there?")
	b.sees("is anybody there?")
	b.becomes("you")
	b.sees("is anybody there?")
	b.click(".message:last-child .rich")
	b.wait(`document.querySelector('.tools [data-entry="Ask about this"]')`)
	b.click(".tools [data-entry='Ask about this']")
	b.wait(`document.activeElement.matches('dialog[open] textarea')`)
	b.insert("what is 2 + 2?")
	b.frames()
	b.shoot("whole-form")
	b.click("dialog [type=submit]")
	b.wait(`!document.querySelector('dialog')`)
	b.sees("2 + 2 = 4")
	b.frames()
	b.shoot("whole-form-answered")
}

func TestAttachmentsAreReadAndShown(t *testing.T) {
	t.Parallel()
	b := enter(t, desktop)
	b.run(`const canvas = Object.assign(document.createElement('canvas'), { width: 64, height: 48 });
		canvas.getContext('2d').fillRect(8, 8, 40, 20);
		const data = new DataTransfer();
		data.items.add(new File([await new Promise((done) => canvas.toBlob(done))], 'shape.png', { type: 'image/png' }));
		data.items.add(new File(['one\ntwo\nthree'], 'list.txt', { type: 'text/plain' }));
		document.getElementById('writing').dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }))`)
	b.wait(`document.querySelectorAll('.chip').length === 2`)
	b.says("look at these")
	b.sees("I see 1 picture. I read 3 lines of list.txt.")
	b.wait(`document.querySelector('.picture img')?.naturalWidth === 64`)
	b.says("make a times table")
	b.wait(`[...document.querySelectorAll('.file-name')].some((n) => n.textContent === 'code-1.csv')`)
	b.says("remind me in 1 second to stretch")
	b.sees("reminder: stretch")
	b.frames()
	b.shoot("whole-attached")
}

func TestThePageSurvivesARestartOfTheBot(t *testing.T) {
	t.Parallel()
	b := enter(t, desktop)
	b.says("!restart")
	b.sees("Restarted in")
	b.says("hello")
	b.sees("A script speaks for me here")
	b.frames()
	b.shoot("whole-restart")
	b.click("#writing")
	b.slash("status\r\r")
	b.wait(`document.querySelector('.message[data-only-you]:not(:has(.thinking))')`)
}

// TestAJobIsSeenToRunToBeLateAndToBeMissed with the clock of the panel, which is there once there is a job.
func TestAJobIsSeenToRunToBeLateAndToBeMissed(t *testing.T) {
	t.Parallel()
	b := enter(t, desktop)
	if !eval[bool](b, `document.querySelector('#clock').hidden`) {
		t.Error("there is a clock before there is a job")
	}
	b.says("every day at 7:00, tell us to water the plants")
	b.ticks("Water the plantsnext ", "no run yet") // in some hours; shortly after seven, tomorrow
	b.click("[data-to=run]")
	b.sees("Time to water the plants.")
	b.ticks("7:00", "moved on", "ran today ")
	b.shows("A run of the job Water the plants in #general at ")
	b.wait(`document.querySelector('.asked-due')?.textContent.startsWith('Due today') && document.querySelector('.asked-due').textContent.endsWith('and ran on time.')`)
	b.says("every day at 7:30, tell us to get up, but never late") // at seven, so that it comes next
	b.ticks("Get upnext in ", "no run yet")
	b.frames()
	b.shoot("whole-clock")
	b.click("[data-to=hour]")
	b.ticks("8:00", "left out today ", "7:30", "missed")
	b.click("[data-to=day]")
	b.sees("Late: this was due 1 hour ago.")
	b.ticks("ran late, today ")
	b.wait(`document.querySelector('.asked-due')?.textContent.endsWith('and ran 1 hour late.') || document.querySelector('.asked-due')?.textContent.endsWith('and ran 60 minutes late.')`)
	b.wait(`[...document.querySelectorAll('.day')].some((day) => day.textContent === 'Yesterday')`)
	b.wait(`[...document.querySelectorAll('.message')].at(-1).textContent.includes('8:00')`)
	b.frames()
	b.shoot("whole-clock-late")
	if text := b.text("#feed"); strings.Contains(text, "Time to get up.") {
		t.Errorf("what was missed was run: %s", text)
	}

	// A page that is opened later shows the same.
	b.visit(eval[string](b, `location.origin`))
	b.sees("Late: this was due 1 hour ago.")
	b.ticks("8:00", "moved on", "ran late, today ")
	b.wait(`[...document.querySelectorAll('.day')].some((day) => day.textContent === 'Yesterday')`)
}

// ticks waits until the clock's part of the panel contains texts.
func (b *tab) ticks(texts ...string) {
	b.Helper()
	for _, text := range texts {
		b.wait(fmt.Sprintf("!document.querySelector('#clock').hidden && document.querySelector('#clock').textContent.includes(%s)", quote(text)))
	}
}

func TestTheNetworkIsCutAndMended(t *testing.T) {
	t.Parallel()
	b := enter(t, desktop)
	b.click("[data-trouble=network]")
	b.wait(`document.querySelector('[data-trouble=network]').getAttribute('aria-pressed') === 'true'`)
	b.says("what is 6 * 7?")
	b.sees("what is 6 * 7?")
	b.frames()
	b.shoot("whole-trouble")
	b.click("[data-trouble=network]")
	b.sees("42")
}

func TestPollsAreVotedOn(t *testing.T) {
	t.Parallel()
	b := enter(t, desktop)
	answer := func(n int) string { return fmt.Sprintf(`document.querySelector('[data-answer="%d"]')`, n) }
	shows := func(n int, text, pressed string) {
		t.Helper()
		b.wait(fmt.Sprintf("%s?.textContent === %s && %[1]s.getAttribute('aria-pressed') === %[3]s", answer(n), quote(text), quote(pressed)))
	}
	b.says("start a poll: Lunch? pizza or pasta")
	shows(1, "pizza0 · 0 %", "false")
	b.click(`[data-answer="1"]`)
	shows(1, "pizzayour vote1 · 100 %", "true")
	b.click(`[data-answer="2"]`) // which takes the place of the first
	shows(1, "pizza0 · 0 %", "false")
	shows(2, "pastayour vote1 · 100 %", "true")
	b.becomes("sam")
	shows(2, "pasta1 · 100 %", "false")
	b.click(`[data-answer="1"]`)
	shows(1, "pizzayour vote1 · 50 %", "true")
	b.shoot("votes")
	b.click(`[data-answer="1"]`)
	shows(1, "pizza0 · 0 %", "false")
}

func TestAnIdeaOfAStrangerLeavesTheSpeakerAlone(t *testing.T) {
	t.Parallel()
	b := enter(t, desktop)
	b.wait(`document.querySelectorAll('.idea').length > 20`)
	b.run(`[...document.querySelectorAll('.idea')].find((i) => i.textContent.includes('as zed')).click()`)
	b.sees("hello?")
	b.wait(`document.querySelector('.message .silence')?.textContent === 'No answer: zed is not on the bot’s list of people.'`)
	b.shoot("whole-silence")
	b.says("what is 2 + 2?")
	b.sees("2 + 2 = 4")
	if got := b.text(".speak-name"); got != "you" {
		t.Errorf("%s speaks", got)
	}
}
