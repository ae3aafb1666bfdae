package page_test

import (
	"os"
	"testing"
)

// TestPictures takes pictures of the page for somebody to look at. It runs when
// DISCOCLAW_SHOTS names a folder.
func TestPictures(t *testing.T) {
	if os.Getenv("DISCOCLAW_SHOTS") == "" {
		t.Skip("DISCOCLAW_SHOTS names no folder for pictures")
	}
	for _, tt := range []struct {
		name string
		look look
	}{
		{"wide-light", desktop},
		{"wide-dark", look{width: 1280, height: 800, dark: true}},
		{"phone-light", phone},
		{"phone-dark", look{width: 390, height: 844, dark: true, touch: true}},
		{"middle", look{width: 900, height: 700}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := exampleStub(t)
			b := show(t, s, tt.look)
			b.wait(`document.querySelector('.idea')`)
			b.frames()
			b.shoot(tt.name + "-first")
			s.publish("turn", exampleTurn())
			s.publish("typing", object{"channel": generalID, "name": "DiscoClaw"})
			b.wait(`document.querySelector('.act') && document.querySelector('.dots')`)
			b.frames()
			b.shoot(tt.name)
			b.run(`document.getElementById('scroller').scrollTop -= 500`)
			b.frames()
			b.shoot(tt.name + "-up")
			b.run(`document.getElementById('scroller').scrollTop = 0`)
			b.frames()
			b.shoot(tt.name + "-top")
			b.run(`document.getElementById('newer').click()`)
			if !tt.look.touch {
				b.click("[data-emoji]")
				b.click(".message:nth-last-child(4) .rich")
				b.frames()
				b.click(".tools [data-do=react]")
				b.frames()
				b.shoot(tt.name + "-emoji")
				b.keys("\u001b")
			}
			b.click("#writing")
			b.keys("hello @")
			b.frames()
			b.shoot(tt.name + "-completion")
			b.run(`location.hash = '#channel/` + forumID + `'`)
			b.wait(`document.querySelector('.post')`)
			b.shoot(tt.name + "-forum")
			b.run(`location.hash = '#channel/` + opsID + `'`)
			b.wait(`document.querySelector('.idea-chip')`)
			b.click("#speak-as")
			b.frames()
			b.shoot(tt.name + "-people")
			b.keys("\u001b")
			b.click("#panel-toggle")
			b.run(`await new Promise((next) => setTimeout(next, 400))`)
			b.shoot(tt.name + "-panel")
			b.keys("\u001b")
			b.run(`location.hash = '#channel/` + forumID + `'`)
			b.wait(`document.querySelector('.forum-head button')`)
			b.run(`document.querySelector('.forum-head button').click()`)
			b.frames()
			b.shoot(tt.name + "-dialog")
			b.keys("\u001b")
			if tt.look.width < 760 {
				b.run(`document.getElementById('sidebar-open').click(); await new Promise((next) => setTimeout(next, 400))`)
				b.shoot(tt.name + "-channels")
			}
		})
	}
}
