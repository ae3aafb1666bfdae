package fakegateway_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"encoding/json"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"testing/synctest"

	"discoclaw/internal/fakediscord/fakegateway"
	"discoclaw/internal/memnet"

	"github.com/coder/websocket"
)

// frames are the frames that a client gets which identifies: the kind of each and its bytes.
func frames(t *testing.T, l *memnet.Listener, url, identify string, n int) (kinds []websocket.MessageType, all [][]byte) {
	t.Helper()
	ws, _, err := websocket.Dial(t.Context(), url, &websocket.DialOptions{HTTPClient: l.HTTPClient()})
	if err != nil {
		t.Fatal(err)
	}
	defer ws.CloseNow()
	ws.SetReadLimit(-1)
	if err := ws.Write(t.Context(), websocket.MessageText, []byte(identify)); err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
	for range n {
		kind, data, err := ws.Read(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		kinds, all = append(kinds, kind), append(all, data)
	}
	return kinds, all
}

// large is more than a payload has that stays as it is, and more than a block of zstd.
var large = strings.Repeat("large ", 50_000)

func withLargeEvent(t *testing.T) *memnet.Listener {
	t.Helper()
	_, l := start(t, fakegateway.Options{
		Identify: func(fakegateway.Identify) (map[string]any, []fakegateway.Event, int) {
			return nil, []fakegateway.Event{{Name: "GUILD_CREATE", Data: large}}, 0
		},
	})
	return l
}

// isWhole checks that a text is a payload, and the event with the large one if it should be.
func isWhole(t *testing.T, text []byte, event bool) {
	t.Helper()
	var p struct {
		Name string `json:"t"`
		Data any    `json:"d"`
	}
	if err := json.Unmarshal(text, &p); err != nil || event != (p.Name == "GUILD_CREATE" && p.Data == large) {
		t.Errorf("%.200s: %v", text, err)
	}
}

// TestPayloadsAreCompressedEachByItself if a client asks for that when it identifies. Small ones stay as they are, as with Discord.
func TestPayloadsAreCompressedEachByItself(t *testing.T) {
	bubble(t, func(t *testing.T) {
		kinds, all := frames(t, withLargeEvent(t), address, `{"op":2,"d":{"token":"secret","intents":512,"compress":true}}`, 3)
		if kinds[0] != websocket.MessageText || kinds[1] != websocket.MessageText || kinds[2] != websocket.MessageBinary {
			t.Fatalf("frames of the kinds %v", kinds)
		}
		r, err := zlib.NewReader(bytes.NewReader(all[2]))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Error(err)
		}
		isWhole(t, text, true)
	})
}

// TestATransportIsOneZlibStream, of which each frame ends with a flush.
func TestATransportIsOneZlibStream(t *testing.T) {
	bubble(t, func(t *testing.T) {
		kinds, all := frames(t, withLargeEvent(t), address+"&compress=zlib-stream", `{"op":2,"d":{"token":"secret","intents":512,"compress":true}}`, 3)
		var r io.ReadCloser
		var stream bytes.Buffer
		for i, data := range all {
			if kinds[i] != websocket.MessageBinary || !bytes.HasSuffix(data, []byte{0, 0, 0xff, 0xff}) {
				t.Fatalf("frame %d is of the kind %v and ends with % x", i, kinds[i], data[len(data)-4:])
			}
			stream.Write(data)
			if r == nil {
				var err error
				if r, err = zlib.NewReader(&stream); err != nil {
					t.Fatal(err)
				}
			}
			var text json.RawMessage
			if err := json.NewDecoder(r).Decode(&text); err != nil {
				t.Fatal(err)
			}
			isWhole(t, text, i == 2)
		}
	})
}

// TestATransportIsOneZstdFrame that does not end.
func TestATransportIsOneZstdFrame(t *testing.T) {
	bubble(t, func(t *testing.T) {
		_, all := frames(t, withLargeEvent(t), address+"&compress=zstd-stream", identify, 3)
		header := all[0][:6]
		if binary.LittleEndian.Uint32(header) != 0xFD2FB528 {
			t.Fatalf("it begins with % x", header)
		}
		for i, data := range all {
			if i == 0 {
				data = data[len(header):]
			}
			isWhole(t, blocks(t, data), i == 2)
		}
		if program, err := exec.LookPath("zstd"); err == nil {
			end := append(bytes.Join(all, nil), 1, 0, 0) // an empty last block, since files end
			cmd := exec.Command(program, "-d", "-c")
			cmd.Stdin = bytes.NewReader(end)
			if text, err := cmd.Output(); err != nil || !bytes.Contains(text, []byte(large)) {
				t.Errorf("zstd reads %d bytes, %v", len(text), err)
			}
		}
	})
}

// blocks is the content of whole blocks that are not the last ones.
func blocks(t *testing.T, data []byte) (text []byte) {
	t.Helper()
	for len(data) > 0 {
		header := int(data[0]) | int(data[1])<<8 | int(data[2])<<16
		if header&7 != 0 || header>>3 > 128<<10 {
			t.Fatalf("a block with the header %#x", header)
		}
		text, data = append(text, data[3:3+header>>3]...), data[3+header>>3:]
	}
	return text
}

// TestAnEncodingThatIsNotBuiltIsSaidSo, instead of closing a connection that Discord would take.
func TestAnEncodingThatIsNotBuiltIsSaidSo(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var missing []string
		_, l := start(t, fakegateway.Options{Unbuilt: func(what string) { missing = append(missing, what) }})
		for _, query := range []string{"v=10&encoding=etf", "v=10&encoding=json&compress=brotli"} {
			_, resp, err := websocket.Dial(t.Context(), "ws://fake.test/?"+query, &websocket.DialOptions{HTTPClient: l.HTTPClient()})
			if err == nil || resp == nil || resp.StatusCode != http.StatusNotImplemented {
				t.Errorf("%s: %v, %v", query, resp, err)
			}
		}
		if len(missing) != 2 {
			t.Errorf("listed are %q", missing)
		}
	})
}
