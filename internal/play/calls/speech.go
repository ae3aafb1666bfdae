package calls

import (
	"encoding/binary"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"discoclaw/internal/voice/opus"
	"discoclaw/internal/voice/tones"
)

const (
	idLength = 3  // tones of an ID
	alphabet = 26 // of which there are so many

	repetition    = idLength*60*time.Millisecond + 100*time.Millisecond // how long an ID sounds, with the pause after it
	perCharacter  = 65 * time.Millisecond                               // of speech
	spokenRepeats = 3                                                   // of what people say: enough to be taken for speech, and quick
	leastRepeats  = 2
	mostRepeats   = 100 // half a minute
)

// texts are what was said lately, by the IDs that stand for them in the sound. An old text gives way when its ID comes again.
type texts struct {
	mu    sync.Mutex
	count int
	all   map[string]*text
}

type text struct {
	words   string
	repeats int  // of the ID in its sound
	begun   bool // somebody has begun to hear it
	over    bool
}

// add returns the ID of a text.
func (ts *texts) add(words string, repeats int) string {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	var id []byte
	for n := ts.count; len(id) < idLength; n /= alphabet {
		id = append(id, byte('a'+n%alphabet))
	}
	ts.count++
	ts.all[string(id)] = &text{words: words, repeats: repeats}
	return string(id)
}

func (ts *texts) find(id string) (text, bool) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if t := ts.all[id]; t != nil {
		return *t, true
	}
	return text{}, false
}

// begin and end report whether somebody is the first to hear a text, and the first to hear the end of it.
func (ts *texts) begin(id string) (text, bool) {
	return ts.mark(id, func(t *text) *bool { return &t.begun })
}
func (ts *texts) end(id string) (text, bool) {
	return ts.mark(id, func(t *text) *bool { return &t.over })
}

func (ts *texts) mark(id string, of func(*text) *bool) (text, bool) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	t := ts.all[id]
	before := *of(t)
	*of(t) = true
	return *t, !before
}

// repeated is the sound of a text, in the language of package tones.
func repeated(id string, times int) string { return strings.TrimSpace(strings.Repeat(id+" ", times)) }

// Speech serves the paths of OpenAI's language that a bot asks: /v1/audio/transcriptions and /v1/audio/speech.
func (c *Calls) Speech() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/audio/transcriptions", c.transcribe)
	mux.HandleFunc("POST /v1/audio/speech", c.synthesise)
	return mux
}

const (
	maxSound  = 4 << 20 // two minutes at the bot's rate
	maxText   = 64 << 10
	wavHeader = 44
	earRate   = 16000
	voiceRate = 24000 // the one that OpenAI's PCM has
)

// transcribe understands what [Calls.Say] said. Other sounds are no words.
func (c *Calls) transcribe(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxSound)
	sound, _, err := r.FormFile("file")
	if err != nil {
		http.Error(w, `{"error":{"message":"there is no file"}}`, http.StatusBadRequest)
		return
	}
	defer sound.Close()
	data, err := io.ReadAll(sound)
	if err != nil {
		http.Error(w, `{"error":{"message":"the file cannot be read"}}`, http.StatusBadRequest)
		return
	}
	answer(w, map[string]string{"text": c.understood(data)})
}

// understood are the texts in a recording as the bot sends it.
func (c *Calls) understood(wav []byte) string {
	if len(wav) < wavHeader || string(wav[:4]) != "RIFF" {
		return ""
	}
	pcm := make([]int16, (len(wav)-wavHeader)/2)
	for i := range pcm {
		pcm[i] = int16(binary.LittleEndian.Uint16(wav[wavHeader+2*i:]))
	}
	var said []string
	last := ""
	for _, id := range strings.Fields(tones.Understand(pcm, earRate)) {
		if t, known := c.texts.find(id); known && id != last {
			said, last = append(said, t.words), id
		}
	}
	return strings.Join(said, " ")
}

// synthesise makes the sound for a sentence of the bot.
func (c *Calls) synthesise(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Input  string
		Format string `json:"response_format"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxText)).Decode(&in); err != nil || in.Format != "pcm" {
		// A recording would be nothing but tones.
		http.Error(w, `{"error":{"message":"the playground speaks in calls alone"}}`, http.StatusBadRequest)
		return
	}
	length := time.Duration(len([]rune(in.Input))) * perCharacter
	repeats := min(max(leastRepeats, int(length/repetition)), mostRepeats)
	said := tones.Say(repeated(c.texts.add(in.Input, repeats), repeats))
	said = append(said, make([]int16, opus.Rate/10)...) // so that the next sentence is another word
	var body []byte
	for i := 0; i < len(said); i += opus.Rate / voiceRate {
		body = binary.LittleEndian.AppendUint16(body, uint16(said[i]))
	}
	w.Header().Set("Content-Type", "audio/pcm")
	_, _ = w.Write(body) // the bot may be gone
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // the bot may be gone
}
