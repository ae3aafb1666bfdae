package fakevoice_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/fakediscord/fakevoice"
	"discoclaw/internal/voice/dave"
)

// TestMistakesOfClientsAreWrittenDown, and answered as Discord does.
func TestMistakesOfClientsAreWrittenDown(t *testing.T) {
	open := func(h *hall) *client {
		h.Admit(ticket(ada))
		return h.connect(ada)
	}
	joined := func(h *hall) *client {
		c := h.join(ada)
		c.require("8, 2, 4, 25")
		c.say(5, fmt.Sprintf(`{"speaking":1,"delay":0,"ssrc":%d}`, c.ssrc))
		return c
	}
	for _, tt := range []struct {
		name      string
		from      func(*hall) *client
		do        func(*client)
		heard     string
		complaint string
	}{
		{"no encryption", open, func(c *client) { c.identify("s", "t", 0) }, "8, close 4017", "cannot encrypt"},
		{"unknown session", open, func(c *client) { c.identify("x", "t", 1) }, "8, close 4006", "session that is not known"},
		{"wrong token", open, func(c *client) { c.identify("s", "x", 1) }, "8, close 4004", "wrong token"},
		{"nothing before it identifies", open, func(c *client) { c.say(5, "{}") }, "8, close 4003", "before it identified"},
		{"no JSON", open, func(c *client) { c.write(websocket.MessageText, []byte("{")) }, "8, close 4002", "sent"},
		{"no heartbeat", joined, func(*client) { time.Sleep(21 * time.Second) }, "close 4009", "no heartbeat"},
		{"identified twice", joined, func(c *client) { c.identify("s", "t", 1) }, "close 4005", "identified twice"},
		{"unknown opcode", joined, func(c *client) { c.say(99, "{}") }, "close 4001", "sent op 99"},
		{"unknown mode", joined, func(c *client) {
			c.say(1, `{"protocol":"udp","data":{"address":"198.51.100.1","port":40001,"mode":"xsalsa20"}}`)
		}, "close 4016", "xsalsa20"},
		{"JSON in a binary frame", joined, func(c *client) { c.write(websocket.MessageBinary, []byte(`{"op":3}`)) }, "", "as JSON in it"},
		{"a sequence ahead", joined, func(c *client) { c.say(3, `{"t":1,"seq_ack":9}`) }, "6", "sequence 9, between 0 and 3"},
		{"a sequence behind", joined, func(c *client) {
			time.Sleep(3 * time.Second)
			c.say(3, `{"t":1,"seq_ack":2}`)
		}, "6", "sequence 2, between 3 and 3"},
		{"no sequence", joined, func(c *client) { c.say(3, `{"t":1}`) }, "6", "heartbeat"},
		{"another's SSRC", joined, func(c *client) { c.say(5, `{"speaking":1,"delay":0,"ssrc":1}`) }, "", "though its SSRC is"},
		{"ready for nothing", joined, func(c *client) { c.say(23, `{"transition_id":0}`) }, "", "which did not wait"},
		{"not a commit", joined, func(c *client) {
			time.Sleep(3 * time.Second)
			c.write(websocket.MessageBinary, []byte{28, 1, 2, 3})
		}, "", "commit that cannot be taken"},
		{"no discovery", open, func(c *client) {
			c.identify("s", "t", 1)
			c.say(1, fmt.Sprintf(`{"protocol":"udp","data":{"address":"198.51.100.1","port":1,"mode":%q}}`, fakevoice.XChaCha))
			c.dave = nil
		}, "8, 2, 4, 25", "but is at"},
		{"a silent speaker", func(h *hall) *client { return h.join(ada) }, func(c *client) {
			c.speak(dave.Silence)
			time.Sleep(3 * time.Second)
		}, "8, 2, 4, 25", "without having said"},
		{"a nonce again", joined, func(c *client) {
			packet := c.packet(dave.Silence)
			_, _ = c.udp.Write(packet)
			_, _ = c.udp.Write(packet)
			synctest.Wait()
		}, "", "two packets with the nonce 1"},
		{"a gap", joined, func(c *client) {
			c.speak(dave.Silence)
			c.next++
			c.speak(dave.Silence)
		}, "", "sent the packet 3 after 1"},
		{"an altered packet", joined, func(c *client) {
			packet := c.packet(dave.Silence)
			packet[13] ^= 1
			_, _ = c.udp.Write(packet)
			synctest.Wait()
		}, "", "does not open"},
		{"another header", joined, func(c *client) {
			packet := c.packet(dave.Silence)
			packet[1] = 0x79
			_, _ = c.udp.Write(packet)
			synctest.Wait()
		}, "", "header 80 79"},
		{"no packet at all", joined, func(c *client) {
			_, _ = c.udp.Write([]byte("hello, who is there?"))
			synctest.Wait()
		}, "", "datagram of 20 bytes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inHall(t, fakevoice.Options{}, func(t *testing.T, h *hall) {
				c := tt.from(h)
				if id, err := dave.NewIdentity(); err == nil && c.dave == nil {
					c.dave = dave.New(ada, channel, id)
				}
				tt.do(c)
				c.require(tt.heard)
				if all := h.Complaints(); len(all) != 1 || !strings.Contains(all[0], tt.complaint) {
					t.Errorf("the complaints are %q", all)
				}
			})
		})
	}
}

// TestPlainFramesInAnEncryptedCallAreWrittenDown, but for silence.
func TestPlainFramesInAnEncryptedCallAreWrittenDown(t *testing.T) {
	inHall(t, fakevoice.Options{}, func(t *testing.T, h *hall) {
		c := h.join(ada)
		h.join(bob)
		synctest.Wait()
		c.say(5, fmt.Sprintf(`{"speaking":1,"delay":0,"ssrc":%d}`, c.ssrc))
		time.Sleep(3 * time.Second)
		c.speak(dave.Silence)
		if all := h.Complaints(); len(all) != 0 {
			t.Errorf("the complaints are %q", all)
		}
		c.speak([]byte("hello"))
		if all := h.Complaints(); len(all) != 1 || !strings.Contains(all[0], "not encrypted") {
			t.Errorf("the complaints are %q", all)
		}
	})
}

// TestResumedClientsGetWhatTheyMissed, in order, if they come back in time.
func TestResumedClientsGetWhatTheyMissed(t *testing.T) {
	resume := fmt.Sprintf(`{"server_id":"%d","session_id":"s%d","token":"t%d","seq_ack":%%d}`, guild, ada, ada)
	for _, tt := range []struct {
		name      string
		resumable bool
		away      time.Duration
		heard     string
	}{
		{"in time", true, 59 * time.Second, "8, 9, 5, 5"},
		{"too late", true, 61 * time.Second, "8, close 4006"},
		{"not resumable", false, 0, "8, close 4006"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inHall(t, fakevoice.Options{Plain: true, Heartbeat: time.Hour}, func(t *testing.T, h *hall) {
				c := h.join(ada)
				c.require("8, 2, 4")
				h.Cut(ada, tt.resumable)
				c.require("close -1")
				h.Tell(ada, 5, map[string]any{"user_id": "1"})
				h.Tell(ada, 5, map[string]any{"user_id": "2"})
				time.Sleep(tt.away)
				c.dial()
				c.say(7, fmt.Sprintf(resume, c.last))
				c.require(tt.heard)
			})
		})
	}
}

// TestLinesAreAsBadAsTold: what gets through is a matter of the seed, and the same each time.
func TestLinesAreAsBadAsTold(t *testing.T) {
	for _, tt := range []struct {
		name  string
		line  fakevoice.Line
		heard int // of 1,000 packets, 20 ms apart, about
		order bool
	}{
		{"good", fakevoice.Line{}, 1000, true},
		{"loss", fakevoice.Line{Loss: 0.2}, 800, true},
		{"duplicates", fakevoice.Line{Duplicate: 0.3}, 1300, true},
		{"late ones", fakevoice.Line{Reorder: 0.1}, 1000, false},
		{"delay", fakevoice.Line{Delay: 300 * time.Millisecond}, 1000, true},
		{"jitter", fakevoice.Line{Jitter: 60 * time.Millisecond}, 1000, false},
		{"bursts", fakevoice.Line{Burst: 0.01, BurstFor: 300 * time.Millisecond}, 860, true},
	} {
		for name, direction := range map[string]fakevoice.Direction{"up": fakevoice.Up, "down": fakevoice.Down} {
			t.Run(tt.name+" "+name, func(t *testing.T) {
				inHall(t, fakevoice.Options{Plain: true, Seed: 7, Heartbeat: time.Hour}, func(t *testing.T, h *hall) {
					speaker, listener := h.join(ada), h.join(bob)
					speaker.say(5, fmt.Sprintf(`{"speaking":1,"delay":0,"ssrc":%d}`, speaker.ssrc))
					h.SetLine(map[fakevoice.Direction]uint64{fakevoice.Up: ada, fakevoice.Down: bob}[direction], direction, tt.line)
					var numbers []int
					var listening sync.WaitGroup
					listening.Go(func() {
						for {
							var n int
							if _, err := fmt.Sscanf(string(listener.listen()), "frame %d", &n); err != nil {
								return
							}
							numbers = append(numbers, n)
						}
					})
					for n := range 1000 {
						speaker.speak(fmt.Append(nil, "frame ", n))
						time.Sleep(20 * time.Millisecond)
					}
					time.Sleep(time.Second)
					_ = listener.udp.Close()
					listening.Wait()
					if h.Sent(ada) != 1000 || len(numbers) != h.Heard(bob, ada) || max(len(numbers)-tt.heard, tt.heard-len(numbers)) > 75 {
						t.Errorf("%d of %d packets came, want about %d", len(numbers), h.Sent(ada), tt.heard)
					}
					if slices.IsSorted(numbers) != tt.order {
						t.Errorf("they came in order: %v", !tt.order)
					}
				})
			})
		}
	}
}

func TestASilencedClientIsDeafAndMuteForATime(t *testing.T) {
	inHall(t, fakevoice.Options{Plain: true}, func(t *testing.T, h *hall) {
		speaker, listener := h.join(ada), h.join(bob)
		speaker.say(5, fmt.Sprintf(`{"speaking":1,"delay":0,"ssrc":%d}`, speaker.ssrc))
		h.Silence(bob, 10*time.Second)
		speaker.speak([]byte("lost"))
		time.Sleep(10 * time.Second)
		speaker.speak([]byte("heard"))
		if got := listener.listen(); !bytes.Equal(got, []byte("heard")) {
			t.Errorf("heard %q", got)
		}
	})
}

// TestTheBotIsToldOfAServerThatIsThere: op 4 leads to events with which a client gets in, and to 4014 when the bot leaves.
func TestTheBotIsToldOfAServerThatIsThere(t *testing.T) {
	inHall(t, fakevoice.Options{}, func(t *testing.T, h *hall) {
		w := discordtest.New(t, "guild d: #a talk:voice hall:voice\nmember ada: owner\nbot Robo: View Channel, Connect")
		h.Serve(w.World, "voice.test")
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		must(w.EnterVoice("ada", "talk"))
		pass, err := w.VoicePass("ada")
		must(err)
		enter := func() *client {
			c := h.connect(fakevoice.TicketOf(pass).User)
			opening, err := json.Marshal(map[string]any{
				"server_id": pass.Guild, "user_id": pass.User, "session_id": pass.Session, "token": pass.Token, "max_dave_protocol_version": 1,
			})
			must(err)
			c.say(0, string(opening))
			return c
		}
		c := enter()
		c.require("8, 2")
		must(w.EnterVoice("ada", "hall"))
		c.require("close 4014")
		old := pass
		pass, err = w.VoicePass("ada")
		must(err)
		if pass.Endpoint != "voice.test" || pass.Token == old.Token || pass.Channel != w.ChannelID("hall") {
			t.Errorf("the pass is %+v", pass)
		}
		c = enter()
		c.require("8, 2")

		other, _ := fakevoice.Start(t, fakevoice.Options{})
		other.Serve(w.World, "other.test")
		c.require("close 4014")
		if pass, err = w.VoicePass("ada"); err != nil || pass.Endpoint != "other.test" {
			t.Errorf("the pass is %+v, %v", pass, err)
		}
		must(w.LeaveVoice("ada"))
		if _, err := w.VoicePass("ada"); err == nil {
			t.Error("there is a pass for nowhere")
		}
	})
}
