package page_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// waitTimeout is the timeout of every wait. It is long because the machine may be busy,
// and it only passes when something is wrong.
const waitTimeout = time.Minute

// A tab shows the page of a stub.
type tab struct {
	*testing.T
	ctx  context.Context
	stub *stub

	mu       sync.Mutex
	problems []string // errors and warnings on the console
}

type look struct {
	width, height int64
	dark          bool
	calm          bool // prefers-reduced-motion
	touch         bool
	noisy         bool // the test causes errors on the console
}

var (
	desktop = look{width: 1280, height: 800}
	phone   = look{width: 390, height: 844, touch: true}

	noisyDesktop = look{width: desktop.width, height: desktop.height, noisy: true}
)

// show opens the page and waits until it shows the world.
func show(t *testing.T, s *stub, l look) *tab {
	t.Helper()
	b := open(t, s, l)
	b.visit(s.URL)
	b.wait(`document.querySelector("#feed[aria-busy=false]") && document.querySelector(".message, .beginning")`)
	return b
}

// open opens the page in an empty tab.
func open(t *testing.T, s *stub, l look) *tab {
	t.Helper()
	w := takeWindow(t)
	b := &tab{T: t, ctx: w.ctx, stub: s}
	var device []chromedp.EmulateViewportOption
	if l.touch {
		device = []chromedp.EmulateViewportOption{chromedp.EmulateMobile, chromedp.EmulateTouch}
	}
	b.do(chromedp.EmulateViewport(l.width, l.height, device...))
	b.emulate(l)
	read := b.readConsole()
	t.Cleanup(func() {
		if t.Failed() {
			w.cancel() // its state is unknown
		} else {
			b.leave()
			giveBack(w)
		}
		<-read
		if l.noisy {
			return
		}
		for _, problem := range b.problems {
			t.Errorf("on the console: %s", problem)
		}
	})
	return b
}

// over is the last message on the console of a test.
const over = "the test is over"

// leave empties the tab for the next test.
func (b *tab) leave() {
	b.Helper()
	b.run(`sessionStorage.clear(); localStorage.clear(); console.debug(` + quote(over) + `)`)
	b.visit("about:blank")
}

// readConsole collects warnings and errors until the test is over or the tab is closed.
func (b *tab) readConsole() (done chan struct{}) {
	messages := chromedp.Console(b.ctx)
	done = make(chan struct{})
	go func() {
		defer close(done)
		for m, err := range messages {
			if err != nil || m.Text == over {
				return
			}
			switch m.Type {
			case chromedp.ConsoleError, chromedp.ConsoleException, chromedp.ConsoleWarning:
				b.mu.Lock()
				b.problems = append(b.problems, fmt.Sprintf("%s: %s (%s:%d)", m.Type, m.Text, m.URL, m.Line))
				b.mu.Unlock()
			}
		}
	}()
	return done
}

func (b *tab) emulate(l look) {
	b.Helper()
	scheme, motion := "light", "no-preference"
	if l.dark {
		scheme = "dark"
	}
	if l.calm {
		motion = "reduce"
	}
	_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: motion},
	}})
	if err != nil {
		b.Fatalf("emulate %+v: %v", l, err)
	}
}

func (b *tab) visit(address string) {
	b.Helper()
	b.do(chromedp.Navigate(address))
}

// do runs steps, and fails the test if one fails.
func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	if err := chromedp.Do(b.ctx); err != nil { // a tab lives as long as the context of its first use
		b.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(b.ctx, waitTimeout)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.Fatal(err)
	}
}

// eval returns the value of an expression in the page. Promises are waited for.
func eval[T any](b *tab, expression string) T {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, waitTimeout)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.Fatalf("evaluate %s: %v", expression, err)
	}
	return v
}

// run evaluates statements for their effect.
func (b *tab) run(statements string) {
	b.Helper()
	eval[bool](b, "(async () => {"+statements+"; return true })()")
}

// wait waits until a condition of the page is true.
func (b *tab) wait(condition string) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, waitTimeout)
	defer cancel()
	_, err := chromedp.Run(ctx, chromedp.Evaluate[bool](`new Promise((done) => {
		const look = () => ((`+condition+`) ? done(true) : setTimeout(look, 10));
		look();
	})`, chromedp.EvalAwaitPromise))
	if err != nil {
		b.shoot("failed-" + b.Name())
		b.mu.Lock()
		defer b.mu.Unlock()
		b.Fatalf("waiting for %s: %v\nconsole: %s", condition, err, strings.Join(b.problems, "\n"))
	}
}

// frames waits until the page has drawn its pending changes.
func (b *tab) frames() {
	b.Helper()
	b.run(`for (let i = 0; i < 4; i++) await new Promise((next) => requestAnimationFrame(next))`)
}

// click clicks an element with the mouse.
func (b *tab) click(selector string) {
	b.Helper()
	b.do(chromedp.Click(chromedp.CSS(selector)))
}

// keys presses keys.
func (b *tab) keys(keys string, modifiers ...chromedp.Modifier) {
	b.Helper()
	for _, key := range keys {
		if key == '\r' {
			b.enter(modifiers...)
			continue
		}
		b.do(chromedp.KeyEvent(string(key), chromedp.KeyModifiers(modifiers...)))
	}
}

// insert inserts a text into the focused field, all at once.
func (b *tab) insert(text string) {
	b.Helper()
	if _, err := chromedp.Call(b.ctx, input.InsertText, input.InsertTextParams{Text: text}); err != nil {
		b.Fatalf("insert a text: %v", err)
	}
}

// enter presses Enter in one event, as a keyboard does, so that preventDefault works.
func (b *tab) enter(modifiers ...chromedp.Modifier) {
	b.Helper()
	press := input.DispatchKeyEventParams{
		Type: "keyDown", Key: "Enter", Code: "Enter", Text: "\r", UnmodifiedText: "\r", WindowsVirtualKeyCode: 13, NativeVirtualKeyCode: 13,
	}
	for _, m := range modifiers {
		press.Modifiers |= int64(m)
	}
	release := press
	release.Type, release.Text, release.UnmodifiedText = "keyUp", "", ""
	for _, event := range []input.DispatchKeyEventParams{press, release} {
		if _, err := chromedp.Call(b.ctx, input.DispatchKeyEvent, event); err != nil {
			b.Fatalf("press Enter: %v", err)
		}
	}
}

// text is the text of the first element that a selector finds.
func (b *tab) text(selector string) string {
	b.Helper()
	return eval[string](b, fmt.Sprintf("document.querySelector(%s)?.textContent ?? '(no such element)'", quote(selector)))
}

// shoot saves a screenshot in the folder that DISCOCLAW_SHOTS names.
func (b *tab) shoot(name string) {
	b.Helper()
	folder := os.Getenv("DISCOCLAW_SHOTS")
	if folder == "" {
		return
	}
	data, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.Errorf("take a picture: %v", err)
		return
	}
	file := filepath.Join(folder, strings.ReplaceAll(name, "/", "-")+".png")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		b.Error(err)
	}
}

// quote writes a value as JavaScript.
func quote(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// picture is a small picture.
var picture = sync.OnceValue(func() []byte {
	img := image.NewRGBA(image.Rect(0, 0, 320, 180))
	for y := range 180 {
		for x := range 320 {
			img.Set(x, y, color.RGBA{uint8(40 + x/4), uint8(110 + y/3), 140, 255})
		}
	}
	var out bytes.Buffer
	if err := png.Encode(&out, img); err != nil {
		panic(err)
	}
	return out.Bytes()
})
