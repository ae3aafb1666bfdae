package play_test

import (
	"encoding/binary"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"discoclaw/internal/config"
	"discoclaw/internal/play"
	"discoclaw/internal/voice/tones"
)

// realServices understand tones, and speak in them.
func realServices(t *testing.T) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/transcriptions") {
			file, _, err := r.FormFile("file")
			if err != nil {
				t.Error(err)
				return
			}
			data, _ := io.ReadAll(file)
			_ = json.NewEncoder(w).Encode(map[string]string{"text": tones.Understand(samples(data[44:]), 16000)})
			return
		}
		var in struct{ Input string }
		_ = json.NewDecoder(r.Body).Decode(&in)
		for i, sample := range tones.Say(in.Input) {
			if i%2 == 0 { // at 24 kHz
				_ = binary.Write(w, binary.LittleEndian, sample)
			}
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func samples(data []byte) (pcm []int16) {
	for pair := range slices.Chunk(data, 2) {
		pcm = append(pcm, int16(binary.LittleEndian.Uint16(pair)))
	}
	return pcm
}

// TestAMicrophoneIsHeard: with real services, sound goes from the page to the bot and back.
func TestAMicrophoneIsHeard(t *testing.T) {
	t.Parallel()
	services := realServices(t).URL + "/v1"
	v := visiting(t, play.Options{Bot: ownProcess(), Env: config.Env{"DISCOCLAW_STT_BASE_URL": services, "DISCOCLAW_TTS_BASE_URL": services}})
	defer v.leave()
	v.goesIn()
	header := http.Header{"Cookie": {v.key.String()}}
	ws, _, err := websocket.Dial(t.Context(), v.url+"/api/voice/sound?as=you", &websocket.DialOptions{HTTPHeader: header})
	if err != nil {
		t.Fatal(err)
	}
	defer ws.CloseNow()
	heard := make(chan struct{})
	go func() {
		ear := tones.NewEar(48000)
		for !strings.HasPrefix(tones.Text(ear.Words()), "hello!") {
			_, data, err := ws.Read(t.Context())
			if err != nil {
				return
			}
			ear.Hear(samples(data))
		}
		close(heard)
	}()
	pace := time.NewTicker(20 * time.Millisecond)
	defer pace.Stop()
	for frame := range slices.Chunk(append(tones.Say("hello"), make([]int16, 48000)...), 960) {
		data := make([]byte, 2*960)
		for i, sample := range frame {
			binary.LittleEndian.PutUint16(data[2*i:], uint16(sample))
		}
		<-pace.C
		if err := ws.Write(t.Context(), websocket.MessageBinary, data); err != nil {
			t.Fatal(err)
		}
	}
	select {
	case <-heard:
	case <-time.After(20 * time.Second):
		t.Error("the bot does not answer")
	}
	other := http.Header{"Cookie": {v.key.String()}, "Origin": {"http://example.com"}}
	if _, _, err := websocket.Dial(t.Context(), v.url+"/api/voice/sound?as=you", &websocket.DialOptions{HTTPHeader: other}); err == nil {
		t.Error("a page of another site hears the call")
	}
	if _, _, err := websocket.Dial(t.Context(), v.url+"/api/voice/sound?as=you", nil); err == nil {
		t.Error("somebody without the key hears the call")
	}
}
