package page_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"discoclaw/internal/play"
)

var (
	noPanel   = look{width: 1000, height: 640} // has room for the channels and the messages
	withPanel = look{width: 1120, height: 680}
)

// largest is how many bytes a picture of the documentation may have.
const largest = 120_000

// TestThePicturesOfTheDocumentation shows what its pages are about, each in the server of people. make picture keeps what it shows.
func TestThePicturesOfTheDocumentation(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		look look
		pace time.Duration
		show func(*tab)
	}{
		"members": {look: noPanel, show: func(b *tab) {
			b.says("make a channel called lost-and-found and pin a welcome message there")
			b.sees("pinned a message in #lost-and-found")
			b.says("give tom the role crew")
			b.sees("Done: gave")
		}},
		"security": {look: noPanel, show: func(b *tab) {
			b.says("delete #attic")
			b.sees("with all its messages?")
			b.wait(`[...document.querySelectorAll('.press')].some((p) => p.textContent === 'Approve')`)
		}},
		"crons": {look: withPanel, show: func(b *tab) {
			b.ticks("Look at the moorings")
			b.goes("boats")
			b.click("[data-to=run]")
			b.sees("Time to look at the mooring lines.")
			b.shows("A run of the job Look at the moorings in #boats at ")
			b.wait(`document.querySelector('.asked-due')`)
		}},
		"tasks": {look: noPanel, show: func(b *tab) {
			b.goes("tasks")
			b.wait(`document.querySelectorAll('.post').length > 5`)
		}},
		"plans": {look: noPanel, show: func(b *tab) {
			b.says("show me plan 1")
			b.sees("plan-001")
		}},
		"memory": {look: noPanel, show: func(b *tab) {
			b.says("remember that I prefer tea")
			b.sees("Done: ")
			b.says("what do you know about me?")
			b.sees("Prefers tea.")
		}},
		"conversations": {look: noPanel, pace: 100 * time.Millisecond, show: func(b *tab) {
			b.says("tell me a story")
			b.sees("who are you shining for?")
			b.wait(`[...document.querySelectorAll('.press')].some((p) => p.textContent === 'Stop')`)
		}},
		"reliability": {look: withPanel, pace: 30 * time.Millisecond, show: func(b *tab) {
			b.says("tell me a story")
			b.sees("could not sleep")
			b.click("#plug")
			b.plugged("dead")
			b.click("#plug")
			b.sees("The end.")
			b.wait(`document.querySelector('[data-kept]')`)
			b.run(`document.querySelector('[data-kept]').click()`)
			b.wait(`document.querySelector('[data-found]')`)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pace := max(tt.pace, time.Millisecond)
			b := enterWith(t, tt.look, play.Options{Pace: pace, Bot: ownProcess()})
			b.click("[data-tour=leave]")
			b.wait(`[...document.querySelectorAll('.channel')].some((one) => one.title.includes('twenty lemons'))`) // given by the layout
			tt.show(b)
			b.keep(name)
		})
	}
}

// keep writes a picture of the documentation into the folder that DISCOCLAW_PICTURES names: see make picture.
func (b *tab) keep(name string) {
	b.Helper()
	folder := os.Getenv("DISCOCLAW_PICTURES")
	if folder == "" {
		return
	}
	b.do(chromedp.MouseEvent(chromedp.MouseMoved, 1, 1)) // so that it points at nothing
	b.run(`await Promise.all(document.getAnimations().filter((one) => one instanceof CSSTransition).map((one) => one.finished))`)
	b.frames()
	data, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.Fatal(err)
	}
	shown, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		b.Fatal(err)
	}
	var small bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&small, fewColours(shown)); err != nil {
		b.Fatal(err)
	}
	if small.Len() > largest {
		b.Errorf("the picture of %s has %d bytes", name, small.Len())
	}
	if err := os.WriteFile(filepath.Join(folder, name+".png"), small.Bytes(), 0o644); err != nil {
		b.Fatal(err)
	}
}

// fewColours is a picture in 256 colours, which is a third of its bytes: the most frequent ones that differ from each other. Text
// and boxes have hardly more.
func fewColours(shown image.Image) image.Image {
	count := map[color.RGBA]int{}
	at := shown.Bounds()
	for y := at.Min.Y; y < at.Max.Y; y++ {
		for x := at.Min.X; x < at.Max.X; x++ {
			count[colourAt(shown, x, y)]++
		}
	}
	few := image.NewPaletted(at, nil)
	index := map[color.RGBA]uint8{}
	most := slices.SortedFunc(maps.Keys(count), func(a, b color.RGBA) int { return count[b] - count[a] })
	for _, c := range most {
		if len(few.Palette) < 256 && !slices.ContainsFunc(few.Palette, func(other color.Color) bool { return alike(c, other.(color.RGBA)) }) {
			few.Palette = append(few.Palette, c)
		}
	}
	for _, c := range most {
		index[c] = uint8(few.Palette.Index(c))
	}
	for y := at.Min.Y; y < at.Max.Y; y++ {
		for x := at.Min.X; x < at.Max.X; x++ {
			few.SetColorIndex(x, y, index[colourAt(shown, x, y)])
		}
	}
	return few
}

func colourAt(m image.Image, x, y int) color.RGBA {
	return color.RGBAModel.Convert(m.At(x, y)).(color.RGBA)
}

// alike tells whether nobody would see the difference.
func alike(a, b color.RGBA) bool {
	near := func(a, b uint8) bool { return max(a, b)-min(a, b) < 4 }
	return near(a.R, b.R) && near(a.G, b.G) && near(a.B, b.B)
}
