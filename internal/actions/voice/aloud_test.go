package voice_test

import (
	"context"
	"encoding/binary"
	"math"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest/server"
	"discoclaw/internal/actions/voice"
	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/fakevoice"
	"discoclaw/internal/llm/models"
	"discoclaw/internal/spend"
	"discoclaw/internal/store"
	"discoclaw/internal/turn/attach"
	engine "discoclaw/internal/voice"
	"discoclaw/internal/voice/dave"
	"discoclaw/internal/voice/link"
	"discoclaw/internal/voice/opus"
	"discoclaw/internal/voice/speech"
	"discoclaw/internal/voice/speech/speechtest"
)

// A party is a call with the bot and ada, who hears what is said there.
type party struct {
	*server.Server
	t       *testing.T
	calls   *fakevoice.Server
	manager *engine.Manager
	mouth   *speechtest.Server
	book    *spend.Meter
	call    *link.Call // ada's

	mu    sync.Mutex
	heard []float64 // how loud each frame was
}

const quarters = `
guild disco: #general #ops Lounge:voice den:voice
member ada: owner
member bob
bot DiscoClaw: View Channel, Connect, Speak, Send Messages, Attach Files, Read Message History
deny den bob: Connect
`

func atParty(t *testing.T, test func(t *testing.T, p *party)) {
	t.Helper()
	t.Parallel()
	path := filepath.Join(t.TempDir(), store.FileName)
	prices, err := models.LoadPrices("")
	if err != nil {
		t.Fatal(err)
	}
	server.In(t, quarters, func(t *testing.T, w *server.Server) {
		db, err := store.Open(t.Context(), path)
		w.Must(err)
		t.Cleanup(func() { _ = db.Close() })
		p := &party{Server: w, t: t, calls: w.UseCalls(fakevoice.Options{}), mouth: speechtest.New(t), book: spend.New(db, spend.Options{Prices: prices})}
		p.manager = engine.New(engine.NewCalls(w.Bot, link.Options{HTTP: w.HTTP(), DialUDP: p.calls.DialUDP}), engine.Options{})
		t.Cleanup(func() { p.manager.LeaveAll(context.Background()) })
		api, err := url.Parse(w.APIURL())
		w.Must(err)
		files := attach.New(attach.Options{HTTP: w.HTTP(), Hosts: []string{api.Host}})
		w.Offer(voice.New(w.Bot, p.manager, voice.Options{
			Speech: speech.New(speech.Options{BaseURL: speechtest.URL, Key: speechtest.Key, Model: "tts-1", Voice: "alloy", HTTP: p.mouth.HTTP}),
			Meter:  p.book, Fetch: files.Sound,
		}))
		test(t, p)
	})
}

// gather brings the bot and ada into a call.
func (p *party) gather(channel string) {
	p.t.Helper()
	p.Require("ada", `{"type":"voiceJoin","channel":"`+channel+`"}`, "Done: joined <#{"+channel+"}>; I can't hear you there, since nothing here understands speech")
	p.Must(p.EnterVoice("ada", channel))
	pass, err := p.VoicePass("ada")
	p.Must(err)
	id, err := dave.NewIdentity()
	p.Must(err)
	at := fakevoice.TicketOf(pass)
	p.call, err = link.Dial(p.t.Context(), link.Server{Endpoint: pass.Endpoint, Token: at.Token, Session: at.Session, Guild: at.Guild, Channel: at.Channel, Self: at.User},
		link.Options{Identity: id, HTTP: p.HTTP(), DialUDP: p.calls.DialUDP})
	p.Must(err)
	ears, err := opus.NewDecoder()
	p.Must(err)
	var listening sync.WaitGroup
	listening.Go(func() {
		for f := range p.call.Frames() {
			sum := 0.0
			pcm, err := ears.Decode(f.Opus)
			for _, s := range pcm {
				sum += math.Abs(float64(s))
			}
			p.mu.Lock()
			if err != nil {
				p.t.Errorf("a frame cannot be decoded: %v", err)
			}
			p.heard = append(p.heard, sum/float64(max(1, len(pcm))))
			p.mu.Unlock()
		}
	})
	p.t.Cleanup(listening.Wait)
	p.t.Cleanup(p.call.Close)
	time.Sleep(3 * time.Second) // for the encryption
}

// loud is how long ada has heard sound since she was asked last.
func (p *party) loud() (long time.Duration) {
	time.Sleep(time.Second)
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, n := range p.heard {
		if n > 1000 {
			long += 20 * time.Millisecond
		}
	}
	p.heard = nil
	return long
}

// wav is a file with a tone.
func wav(long time.Duration) []byte {
	n := int(long.Seconds() * 8000)
	data := binary.LittleEndian.AppendUint32([]byte("RIFF\xff\xff\xff\xffWAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x80\x3e\x00\x00\x02\x00\x10\x00data"), uint32(2*n))
	for i := range n {
		data = binary.LittleEndian.AppendUint16(data, uint16(int16(8000*math.Sin(2*math.Pi*440*float64(i)/8000))))
	}
	return data
}

func (p *party) attach(channel, name string, data []byte) string {
	return string(p.MustSay("ada", channel, "listen", fakediscord.Attaching(name, "audio/x-wav", data)).ID)
}

func TestAVoiceNoteIsSaidAloud(t *testing.T) {
	atParty(t, func(t *testing.T, p *party) {
		p.gather("Lounge")
		out := p.Do("bob", `{"type":"voiceNote","text":"**Good** morning.","aloud":true}`)
		if want := p.WithIDs("Done: said it in <#{Lounge}>"); out[0].Told() != want || len(actions.Lines(out)) > 0 {
			t.Errorf("got %s", out[0].Told())
		}
		if long := p.loud(); long < 700*time.Millisecond || long > 900*time.Millisecond { // 13 characters of 60 ms
			t.Errorf("ada hears %v", long)
		}
		if asked := p.mouth.Asked(); len(asked) != 1 || asked[0].Text != "Good morning." || asked[0].Format != "pcm" {
			t.Errorf("asked was %+v", asked)
		}
		cost, err := p.book.Of(t.Context(), string(p.UserID("bob")), 1)
		if want := 15.0 * 13 / 1e6; err != nil || cost.Calls != 1 || cost.USD != want {
			t.Errorf("bob pays %v (%v), want %v", cost, err, want)
		}
		if n := len(p.Messages("#general")); n > 0 {
			t.Errorf("%d messages are posted", n)
		}
	})
}

// TestWhatCannotBeSaidAloudIsWritten, and nothing is paid for unless somebody could hear it.
func TestWhatCannotBeSaidAloudIsWritten(t *testing.T) {
	atParty(t, func(t *testing.T, p *party) {
		const note = `{"type":"voiceNote","text":"Good morning.","aloud":true}`
		written := func(want string) {
			t.Helper()
			out := p.Do("ada", note)[0]
			if _, why, _ := strings.Cut(out.Told(), "because "); out.Result.Reply != "Good morning." || why != p.WithIDs(want) {
				t.Errorf("because %q, want %q: %s", why, want, out.Told())
			}
		}
		p.Require("ada", note, "Failed: voiceNote: I'm not in a voice channel here; ask me to join one first")
		p.Require("ada", `{"type":"voiceJoin","channel":"Lounge"}`, "Done: joined <#{Lounge}>; I can't hear you there, since nothing here understands speech")
		written("nobody else is in the call")
		p.gather("Lounge")
		p.Require("ada", `{"type":"voiceMute","mute":true}`, "Done: muted myself in the voice channel")
		written("I'm muted in the voice channel; unmute me first")
		p.Require("ada", `{"type":"voiceMute","mute":false}`, "Done: unmuted myself in the voice channel")
		p.Must(p.Deny("Lounge", "bot", chat.Speak))
		written("I need *Speak* in <#{Lounge}> for that; an admin can allow it for my role there, under Edit Channel → Permissions")
		if n := len(p.mouth.Asked()); n > 0 {
			t.Errorf("%d texts were paid for", n)
		}
	})
}

func TestAFileIsPlayed(t *testing.T) {
	atParty(t, func(t *testing.T, p *party) {
		p.gather("Lounge")
		id := p.attach("general", "bell.wav", wav(2*time.Second))
		p.Require("bob", `{"type":"voicePlay","messageId":"`+id+`"}`, "Done: played bell.wav (2 seconds) in <#{Lounge}>")
		if long := p.loud(); long < 1900*time.Millisecond || long > 2100*time.Millisecond {
			t.Errorf("ada hears %v", long)
		}
		p.Asked.Place.Message = chat.MessageID(id)
		p.Require("bob", `{"type":"voicePlay"}`, "Done: played bell.wav (2 seconds) in <#{Lounge}>")
	})
}

func TestPlayingRefuses(t *testing.T) {
	atParty(t, func(t *testing.T, p *party) {
		play := func(id string) string { return `{"type":"voicePlay","messageId":"` + id + `"}` }
		bell := p.attach("general", "bell.wav", wav(time.Second))
		p.Require("bob", play(bell), "Failed: voicePlay: I'm not in a voice channel here; ask me to join one first")
		p.gather("Lounge")
		const format = "Failed: voicePlay: I can't play that file: it must be .ogg with Opus, as voice messages are, or .wav with 16 bits and one or two channels"
		p.Require("bob", play(string(p.MustSay("ada", "general", "hi").ID)), "Failed: voicePlay: that message has no file; it must have an .ogg or .wav file")
		p.Require("bob", play(string(p.MustSay("ada", "general", "hi", fakediscord.Attaching("a.mp3", "audio/mpeg", []byte("ID3"))).ID)), format)
		p.Require("bob", play(p.attach("general", "lies.wav", []byte("ID3"))), format)
		p.Require("bob", play(p.attach("general", "long.wav", wav(301*time.Second))), "Failed: voicePlay: that file lasts 5 minutes; I play at most five minutes")
		other := p.attach("ops", "bell.wav", wav(time.Second))
		p.RequirePart("bob", play(other), "Failed: voicePlay: ")
		p.Require("bob", play("https://discord.com/channels/"+string(p.GuildID())+"/"+string(p.ChannelID("ops"))+"/"+other),
			"Failed: voicePlay: that message is in <#{ops}>; I only play files of this channel")
		p.Must(p.Deny("general", "bob", chat.ReadHistory))
		p.Require("bob", play(bell), "Failed: voicePlay: you need *Read Message History* in <#{general}> for that")
		p.Must(p.Deny("Lounge", "bob", chat.Speak))
		p.Require("bob", play(bell), "Failed: voicePlay: you need *Speak* in <#{Lounge}> for that")
		p.Require("bob", `{"type":"voiceNote","text":"hi","aloud":true}`, "Failed: voiceNote: you need *Speak* in <#{Lounge}> for that")
		if long := p.loud(); long > 0 {
			t.Errorf("ada hears %v", long)
		}
	})
	atPartyIn(t, "den", func(t *testing.T, p *party) {
		bell := p.attach("general", "bell.wav", wav(time.Second))
		p.Require("bob", `{"type":"voicePlay","messageId":"`+bell+`"}`, "Failed: voicePlay: you need *Connect* and *Speak* in <#{den}> for that")
		p.Require("bob", `{"type":"voiceNote","text":"hi","aloud":true}`, "Failed: voiceNote: you need *Connect* and *Speak* in <#{den}> for that")
	})
}

// atPartyIn is atParty with the call under way.
func atPartyIn(t *testing.T, channel string, test func(t *testing.T, p *party)) {
	t.Run(channel, func(t *testing.T) {
		atParty(t, func(t *testing.T, p *party) {
			p.gather(channel)
			test(t, p)
		})
	})
}

// TestLeavingEndsWhatIsPlayed, and so does the end of the turn.
func TestLeavingEndsWhatIsPlayed(t *testing.T) {
	atParty(t, func(t *testing.T, p *party) {
		p.gather("Lounge")
		id := p.attach("general", "bell.wav", wav(time.Minute))
		began := time.Now()
		time.AfterFunc(10*time.Second, func() { p.Must(p.manager.Leave(context.Background(), p.GuildID())) })
		p.Require("bob", `{"type":"voicePlay","messageId":"`+id+`"}`, "Failed: voicePlay: I have left the voice channel meanwhile")
		if took := time.Since(began); took > 11*time.Second {
			t.Errorf("it took %v", took)
		}
		synctest.Wait()
	})
}
