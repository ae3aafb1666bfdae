package transcribe

import (
	"encoding/json"
	"strings"
	"sync"
	"time"
)

// A joiner makes utterances of what Deepgram sends: it completes a long one in segments, of which only the last says that it is the last.
type joiner struct {
	emit func(Result) // may block

	mu       sync.Mutex // also keeps results in order
	start    int        // in samples of all that was written: where the sound of this connection begins
	said     []string   // segments that will not change
	interim  string     // what there is of the next one
	from, to time.Duration
	asked    bool // for the end of the utterance
}

// take takes a message. What is not understood, such as the summary at the end, is skipped.
func (j *joiner) take(data []byte) {
	var message struct{ Type string }
	_ = json.Unmarshal(data, &message) // what is no message has no type
	j.mu.Lock()
	defer j.mu.Unlock()
	switch message.Type {
	case "Results":
		var r results
		if json.Unmarshal(data, &r) == nil && len(r.Channel.Alternatives) > 0 {
			j.hear(r)
		}
	case "UtteranceEnd":
		j.finish()
	}
}

type results struct {
	Start, Duration float64
	IsFinal         bool `json:"is_final"`
	SpeechFinal     bool `json:"speech_final"`
	FromFinalize    bool `json:"from_finalize"`
	Channel         channel
}

func (j *joiner) hear(r results) {
	best := r.Channel.Alternatives[0]
	text := strings.TrimSpace(best.Transcript)
	if text != "" {
		first, last := r.Start, r.Start+r.Duration
		if n := len(best.Words); n > 0 {
			first, last = best.Words[0].Start, best.Words[n-1].End
		}
		if len(j.said) == 0 {
			j.from = j.at(first)
		}
		j.to = j.at(last)
	}
	j.interim = text
	if r.IsFinal {
		j.keep()
	}
	switch {
	case r.SpeechFinal, r.FromFinalize:
		j.finish()
	case text != "":
		j.emit(Result{Text: strings.TrimSpace(strings.Join(j.said, " ") + " " + j.interim), From: j.from, To: j.to})
	}
}

func (j *joiner) at(seconds float64) time.Duration {
	return length(j.start, liveRate) + time.Duration(seconds*float64(time.Second))
}

func (j *joiner) keep() {
	if j.interim != "" {
		j.said = append(j.said, j.interim)
	}
	j.interim = ""
}

// finish passes the utterance on.
func (j *joiner) finish() {
	if len(j.said) > 0 {
		j.emit(Result{Text: strings.Join(j.said, " "), Final: true, From: j.from, To: j.to})
	}
	j.said, j.asked = nil, false
}

// ask takes that the server is asked to complete the utterance.
func (j *joiner) ask() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.asked = true
}

// settle finishes the utterance if the server was asked to and did not respond.
func (j *joiner) settle() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.asked {
		j.finish()
	}
}

// shift takes that so many samples were left out, or came before the first ones of this connection.
func (j *joiner) shift(samples int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.start += samples
}

// interrupted takes that the connection is lost. What was understood up to then stands; it is all of the utterance if that is over.
func (j *joiner) interrupted(over bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.keep()
	j.start, j.asked = 0, false
	if over {
		j.finish()
	}
}
