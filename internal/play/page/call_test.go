package page_test

import (
	"testing"
	"time"

	"discoclaw/internal/play"
)

func TestOneTalksWithTheBot(t *testing.T) {
	t.Parallel()
	b := enterWith(t, noisyDesktop, play.Options{Pace: time.Millisecond, Bot: ownProcess()})
	b.click("[data-tour=leave]")
	b.goes("Lounge")
	b.click("[data-call=enter]")
	b.wait(`document.querySelector('.call-who').textContent.includes('Loungeyou')`)
	b.wait(`document.querySelector('.channel-inside')?.textContent === 'you'`)
	b.says("is anybody reading this?") // the room has a chat as well
	b.sees("is anybody reading this?")
	b.speaks("hello") // the browser logs that it is refused
	b.wait(`document.querySelector('#call .error-line').textContent.includes('ask the bot to come in')`)
	b.wait(`document.querySelector('.call-input').value === 'hello'`)
	b.run(`document.querySelector('.call-input').value = ''`)
	b.click("[data-call=ask]")
	b.wait(`document.querySelector('.channel-inside').textContent.includes('DiscoClaw') && !document.querySelector('[data-call=ask]')`)
	b.sees("I'm in this call")
	b.speaks("tell me a story")
	b.wait(`document.querySelector('.call-line[data-bot][data-heard]')?.textContent.includes('Once there was a lighthouse keeper')`)
	b.frames()
	b.shoot("call")
	b.speaks("what day is it?")
	b.wait(`document.querySelector('.call-cut') && [...document.querySelectorAll('.call-line[data-bot]')].at(-1).textContent.includes('It is ')`)
	b.sees("what day is it?")
	b.click("[data-call=leave]")
	b.wait(`document.querySelector('[data-call=enter]') && document.querySelector('.call-form').hidden && document.querySelector('.call-lines').hidden`)
}

// speaks says something in the call.
func (b *tab) speaks(text string) {
	b.Helper()
	b.run(`document.querySelector('.call-input').focus()`)
	b.insert(text)
	b.enter()
}
