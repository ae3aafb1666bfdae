package fakevoice_test

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/coder/websocket"

	"discoclaw/internal/fakediscord/fakevoice"
	"discoclaw/internal/voice/dave"
)

const guild, channel = 1, 2

// People, by their IDs.
const ada, bob, eve = 11, 12, 13

// A hall is a voice server in a bubble.
type hall struct {
	*fakevoice.Server
	t    *testing.T
	http *http.Client
}

func inHall(t *testing.T, o fakevoice.Options, test func(t *testing.T, h *hall)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := &hall{t: t}
		h.Server, h.http = fakevoice.Start(t, o)
		test(t, h)
	})
}

func ticket(user uint64) fakevoice.Ticket {
	return fakevoice.Ticket{Guild: guild, Channel: channel, User: user, Session: fmt.Sprint("s", user), Token: fmt.Sprint("t", user)}
}

// A client is one of the voice server without any judgement: a test says what it sends. What it hears is in words.
type client struct {
	*hall
	user uint64
	ws   *websocket.Conn
	udp  net.Conn
	ssrc uint32
	aead cipher.AEAD
	next uint32 // counter and sequence of the next packet
	dave *dave.Controller

	mu    sync.Mutex
	heard []string
	last  int // sequence
}

// connect opens a websocket.
func (h *hall) connect(user uint64) *client {
	h.t.Helper()
	c := &client{hall: h, user: user, last: -1}
	c.dial()
	return c
}

func (c *client) dial() {
	c.t.Helper()
	ws, _, err := websocket.Dial(c.t.Context(), "wss://voice.test/?v=8", &websocket.DialOptions{HTTPClient: c.http})
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { _ = ws.CloseNow() })
	c.ws = ws
	go func() {
		for {
			kind, data, err := ws.Read(context.Background())
			if err != nil {
				c.hear(fmt.Sprint("close ", int(websocket.CloseStatus(err))))
				return
			}
			c.take(kind, data)
		}
	}()
	synctest.Wait()
}

func (c *client) hear(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.heard = append(c.heard, what)
}

// require compares what the client has heard since the last time.
func (c *client) require(want string) {
	c.t.Helper()
	synctest.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	if got := strings.Join(c.heard, ", "); got != want {
		c.t.Errorf("%d heard %q, want %q", c.user, got, want)
	}
	c.heard = nil
}

// say sends a JSON message, or a binary one.
func (c *client) say(op int, data string) {
	c.write(websocket.MessageText, fmt.Appendf(nil, `{"op":%d,"d":%s}`, op, data))
}

func (c *client) write(kind websocket.MessageType, data []byte) {
	_ = c.ws.Write(context.Background(), kind, data) // the server may have closed it, which is heard
	synctest.Wait()
}

// take does what every client does with a message.
func (c *client) take(kind websocket.MessageType, data []byte) {
	if kind == websocket.MessageBinary {
		c.mu.Lock()
		c.last = int(binary.BigEndian.Uint16(data))
		c.mu.Unlock()
		c.hear(fmt.Sprint(data[2]))
		c.send(c.dave.HandleBinary(int(data[2]), data[3:]))
		return
	}
	var m struct {
		Op   int
		Data json.RawMessage `json:"d"`
		Seq  *int
	}
	if err := json.Unmarshal(data, &m); err != nil {
		c.t.Error(err)
	}
	if m.Seq != nil {
		c.mu.Lock()
		c.last = *m.Seq
		c.mu.Unlock()
	}
	c.hear(fmt.Sprint(m.Op))
	var d struct {
		SSRC  uint32
		Users []string `json:"user_ids"`
		User  string   `json:"user_id"`
		Key   []int    `json:"secret_key"`
		DAVE  int      `json:"dave_protocol_version"`
	}
	_ = json.Unmarshal(m.Data, &d) // what has other data is not looked at
	switch m.Op {
	case 2:
		c.ssrc = d.SSRC
	case 4:
		key := make([]byte, len(d.Key))
		for i, b := range d.Key {
			key[i] = byte(b)
		}
		block, err := aes.NewCipher(key)
		if err != nil {
			c.t.Error(err)
		}
		c.aead, _ = cipher.NewGCM(block)
		c.send(c.dave.Describe(d.DAVE))
	case 11, 13:
		for _, user := range append(d.Users, d.User) {
			var id uint64
			if fmt.Sscan(user, &id); m.Op == 11 {
				c.send(c.dave.Connected(id))
			} else {
				c.dave.Gone(id)
			}
		}
	default:
		answers, err := c.dave.HandleText(m.Op, m.Data)
		if err != nil {
			c.t.Error(err)
		}
		c.send(answers)
	}
}

func (c *client) send(all []dave.Message) {
	for _, m := range all {
		kind, data := websocket.MessageBinary, append([]byte{byte(m.Op)}, m.Binary...)
		if m.Binary == nil {
			text, err := json.Marshal(m.Text)
			if err != nil {
				c.t.Error(err)
			}
			kind, data = websocket.MessageText, fmt.Appendf(nil, `{"op":%d,"d":%s}`, m.Op, text)
		}
		_ = c.ws.Write(context.Background(), kind, data)
	}
}

// join takes a client through everything until the server has described its session.
func (h *hall) join(user uint64) *client {
	h.t.Helper()
	h.Admit(ticket(user))
	c := h.connect(user)
	id, err := dave.NewIdentity()
	if err != nil {
		h.t.Fatal(err)
	}
	c.dave = dave.New(user, channel, id)
	c.identify("s", "t", 1)
	if c.udp, err = h.DialUDP(h.t.Context(), "192.0.2.1:50000"); err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { _ = c.udp.Close() })
	at := c.discover()
	c.say(1, fmt.Sprintf(`{"protocol":"udp","data":{"address":%q,"port":%d,"mode":%q}}`, at.IP, at.Port, fakevoice.GCM))
	return c
}

func (c *client) identify(session, token string, version int) {
	c.say(0, fmt.Sprintf(`{"server_id":"%d","user_id":"%d","session_id":"%s%d","token":"%s%d","max_dave_protocol_version":%d}`,
		guild, c.user, session, c.user, token, c.user, version))
}

// discover asks for the client's address.
func (c *client) discover() net.UDPAddr {
	question := make([]byte, 74)
	question[1], question[3] = 1, 70
	binary.BigEndian.PutUint32(question[4:], c.ssrc)
	_, _ = c.udp.Write(question)
	answer := make([]byte, 100)
	n, err := c.udp.Read(answer)
	if err != nil || n != 74 || answer[1] != 2 || binary.BigEndian.Uint32(answer[4:]) != c.ssrc {
		c.t.Fatalf("the discovery is answered with % x, %v", answer[:n], err)
	}
	text, _, _ := bytes.Cut(answer[8:72], []byte{0})
	return net.UDPAddr{IP: net.ParseIP(string(text)), Port: int(binary.BigEndian.Uint16(answer[72:]))}
}

// packet is a voice packet; the test may have other ideas about it.
func (c *client) packet(payload []byte) []byte {
	c.next++
	header := []byte{0x80, 0x78}
	header = binary.BigEndian.AppendUint16(header, uint16(c.next))
	header = binary.BigEndian.AppendUint32(header, 960*c.next)
	header = binary.BigEndian.AppendUint32(header, c.ssrc)
	nonce := binary.LittleEndian.AppendUint32(nil, c.next)
	return append(c.aead.Seal(header, append(nonce, make([]byte, 8)...), payload, header), nonce...)
}

func (c *client) speak(payload []byte) {
	_, _ = c.udp.Write(c.packet(payload))
	synctest.Wait()
}

// listen is what the next packet that comes has in it; nothing once the client has closed its socket.
func (c *client) listen() []byte {
	c.t.Helper()
	packet := make([]byte, 2000)
	n, err := c.udp.Read(packet)
	if err != nil {
		return nil
	}
	end := n - 4
	nonce := append(append([]byte(nil), packet[end:n]...), make([]byte, 8)...)
	payload, err := c.aead.Open(nil, nonce, packet[16:end], packet[:16])
	if err != nil || packet[0] != 0x90 || packet[1] != 0x78 {
		c.t.Errorf("a packet with the header % x: %v", packet[:16], err)
		return nil
	}
	return payload[4:] // after the extension
}
