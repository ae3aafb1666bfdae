package voice_test

import (
	"path/filepath"
	"strings"
	"testing"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest/server"
	"discoclaw/internal/actions/voice"
	"discoclaw/internal/chat"
	"discoclaw/internal/llm/models"
	"discoclaw/internal/spend"
	"discoclaw/internal/store"
	engine "discoclaw/internal/voice"
	"discoclaw/internal/voice/speech"
	"discoclaw/internal/voice/speech/speechtest"
)

// A booth is a server whose bot can speak.
type booth struct {
	*server.Server
	t     *testing.T
	mouth *speechtest.Server
	book  *spend.Meter
}

// inBooth runs a test that asks in #general.
func inBooth(t *testing.T, o spend.Options, test func(t *testing.T, b *booth)) {
	t.Helper()
	path := filepath.Join(t.TempDir(), store.FileName)
	server.In(t, "guild disco: #general Lounge:voice ideas:forum\nmember ada: owner\nmember bob\nbot DiscoClaw", func(t *testing.T, w *server.Server) {
		db, err := store.Open(t.Context(), path)
		w.Must(err)
		t.Cleanup(func() { _ = db.Close() })
		b := &booth{Server: w, t: t, mouth: speechtest.New(t), book: spend.New(db, o)}
		say := speech.New(speech.Options{BaseURL: speechtest.URL, Key: speechtest.Key, Model: "tts-1", Voice: "alloy", HTTP: b.mouth.HTTP})
		w.Offer(voice.New(w.Bot, engine.New(engine.Signals{Gateway: w.Bot}, engine.Options{}), voice.Options{Speech: say, Meter: b.book}))
		test(t, b)
	})
}

const note = `{"type":"voiceNote","text":"Good morning."}`

// requireWritten runs a request that cannot be spoken, and returns the reason.
func (b *booth) requireWritten(who string) string {
	b.t.Helper()
	out := b.Do(who, note)[0]
	if out.Result.Reply != "Good morning." || len(actions.Lines([]actions.Outcome{out})) > 0 {
		b.t.Errorf("the words are lost: %+v", out)
	}
	if n := len(b.Messages("#general")); n > 0 {
		b.t.Errorf("%d messages are posted", n)
	}
	_, why, _ := strings.Cut(out.Told(), "because ")
	return why
}

func TestVoiceNote(t *testing.T) {
	t.Parallel()
	prices, err := models.LoadPrices("")
	if err != nil {
		t.Fatal(err)
	}
	inBooth(t, spend.Options{Prices: prices}, func(t *testing.T, b *booth) {
		out := b.Do("bob", note)
		all := b.Messages("#general")
		if len(all) != 1 || len(all[0].Attachments) != 1 {
			t.Fatalf("%s: #general has %+v", out[0].Told(), all)
		}
		file := all[0].Attachments[0]
		if all[0].Content != "" || file.Name != "voice-note.mp3" || file.Type != "audio/mpeg" || string(file.Data) != speechtest.MP3 || file.Description != "Good morning." {
			t.Errorf("the message is %q with %+v", all[0].Content, file)
		}
		if want := b.WithIDs("Done: posted [a recording](https://discord.com/channels/{server}/{general}/" + string(all[0].ID) + ") in <#{general}>"); out[0].Told() != want {
			t.Errorf("got %s\nwant %s", out[0].Told(), want)
		}
		if lines := actions.Lines(out); len(lines) > 0 {
			t.Errorf("people read %q, though the recording is there", lines)
		}
		if asked := b.mouth.Asked(); asked[0].Model != "tts-1" || asked[0].Voice != "alloy" || asked[0].Text != "Good morning." {
			t.Errorf("asked was %+v", asked)
		}
		cost, err := b.book.Of(t.Context(), string(b.UserID("bob")), 1)
		if want := 15.0 * 13 / 1e6; err != nil || cost.Calls != 1 || cost.USD != want {
			t.Errorf("bob pays %v (%v), want %v", cost, err, want)
		}
	})
}

func TestVoiceNoteRefuses(t *testing.T) {
	t.Parallel()
	for _, right := range []chat.Permission{chat.SendMessages, chat.AttachFiles} {
		inBooth(t, spend.Options{}, func(t *testing.T, b *booth) {
			for in, want := range map[string]string{
				`"text":" "`: "text: empty", `"speed":1`: "text: missing", `"text":"` + strings.Repeat("x", 2001) + `"`: "text: has 2001 characters",
			} {
				b.RequirePart("ada", `{"type":"voiceNote",`+in+`}`, "Failed: voiceNote: ", want)
			}
			b.Must(b.Deny("#general", "bob", right))
			b.RequirePart("bob", note, "Failed: voiceNote: you need *", "*"+string(right)+"*", " in <#{general}> for that")
			b.RequirePart("", note, "Failed: ")
			b.Must(b.Deny("#general", "bot", right))
			if why := b.requireWritten("ada"); !strings.Contains(why, string(right)) {
				t.Errorf("the bot lacks %s: %s", right, why)
			}
			if n := len(b.mouth.Asked()); n > 0 {
				t.Errorf("%d recordings were paid for", n)
			}
		})
	}
}

// TestWhatCannotBeSpokenIsWritten: a server that fails, and a budget that is used up, lose no words.
func TestWhatCannotBeSpokenIsWritten(t *testing.T) {
	t.Parallel()
	inBooth(t, spend.Options{}, func(t *testing.T, b *booth) {
		for body, want := range map[string]string{"<html>": "what the server for speech sent is no recording", "": "what the server for speech sent is no recording"} {
			b.mouth.Next(speechtest.Answer(200, body))
			if why := b.requireWritten("ada"); why != want {
				t.Errorf("%q: %s", body, why)
			}
		}
		b.mouth.Next(speechtest.Answer(401, "{}"))
		if why := b.requireWritten("ada"); why != "the server for speech did not accept my key" {
			t.Error(why)
		}
	})
	for price, want := range map[float64]string{-1: "I don't know what speech by tts-1 costs, so I can't keep to my budget", 1e5: "speaking this would cost more than what is left of my budget"} {
		prices := models.Prices{}
		if price > 0 {
			prices["tts-1"] = models.Price{Speech: &price}
		}
		inBooth(t, spend.Options{Prices: prices, Ceilings: spend.Ceilings{Day: 1}}, func(t *testing.T, b *booth) {
			if why := b.requireWritten("ada"); why != want {
				t.Error(why)
			}
			if n := len(b.mouth.Asked()); n > 0 {
				t.Errorf("%d recordings were paid for", n)
			}
		})
	}
}

// TestATurnHasFiveVoiceNotes: what else it wants to say is written.
func TestATurnHasFiveVoiceNotes(t *testing.T) {
	t.Parallel()
	inBooth(t, spend.Options{}, func(t *testing.T, b *booth) {
		b.Asked.Turn = "turn"
		for i := range 7 {
			if out := b.Do("ada", note)[0]; (out.Result.Reply == "") != (i < 5) {
				t.Errorf("%d: %s", i+1, out.Told())
			}
		}
		if n := len(b.mouth.Asked()); n != 5 {
			t.Errorf("%d were spoken", n)
		}
	})
}

// TestWithoutAVoice: the action is not offered then, and says why; the others are.
func TestWithoutAVoice(t *testing.T) {
	onServer(t, func(t *testing.T, w *world) {
		_, gate := w.Dispatcher()
		if v := gate.Verdict("voiceNote"); v.Decision != actions.Refused || v.Reason() != "I have no voice here; set DISCOCLAW_TTS_BASE_URL to a server for speech" {
			t.Errorf("voiceNote is %v: %s", v.Decision, v.Reason())
		}
		if v := gate.Verdict("voiceStatus"); v.Decision != actions.Allowed {
			t.Errorf("voiceStatus is %v: %s", v.Decision, v.Reason())
		}
		w.Require("ada", note, "Failed: voiceNote: I have no voice here")
	})
}
