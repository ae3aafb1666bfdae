package link

import (
	"encoding/json"
	"fmt"
	"math"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	version           = "8" // of the voice gateway
	encryptionVersion = 1   // of DAVE, the highest known
)

// The operations of the voice gateway, besides those of encryption.
const (
	opIdentify     = 0
	opSelect       = 1
	opReady        = 2
	opHeartbeat    = 3
	opDescription  = 4
	opSpeaking     = 5
	opHeartbeatACK = 6
	opResume       = 7
	opHello        = 8
	opResumed      = 9
	opConnected    = 11
	opDisconnected = 13
)

// A payload is one JSON message from the server.
type payload struct {
	Op       int             `json:"op"`
	Data     json.RawMessage `json:"d"`
	Sequence *int            `json:"seq"`
}

// A snowflake is an ID, which JSON has as a string.
type snowflake uint64

func (s *snowflake) UnmarshalJSON(text []byte) error {
	n, err := strconv.ParseUint(strings.Trim(string(text), `"`), 10, 64)
	*s = snowflake(n)
	return err
}

func (s snowflake) MarshalText() ([]byte, error) { return strconv.AppendUint(nil, uint64(s), 10), nil }

// address is where a server's websocket is. Discord names the host alone.
func (s Server) address() string {
	u := url.URL{Scheme: "wss", Host: s.Endpoint, Path: "/"}
	if scheme, host, has := strings.Cut(s.Endpoint, "://"); has {
		u.Scheme, u.Host = scheme, host
	}
	u.RawQuery = "v=" + version
	return u.String()
}

// interval reads the data of HELLO.
func interval(data json.RawMessage) (time.Duration, error) {
	var hello struct {
		Interval float64 `json:"heartbeat_interval"` // milliseconds
	}
	if err := json.Unmarshal(data, &hello); err != nil {
		return 0, err
	}
	if !(hello.Interval >= 100 && hello.Interval <= float64(time.Hour.Milliseconds())) {
		return 0, fmt.Errorf("a heartbeat interval of %v ms", hello.Interval)
	}
	return time.Duration(hello.Interval * float64(time.Millisecond)), nil
}

// A ready is the data of READY.
type ready struct {
	SSRC  uint32   `json:"ssrc"`
	IP    string   `json:"ip"`
	Port  uint16   `json:"port"`
	Modes []string `json:"modes"`
}

func (r ready) address() string { return net.JoinHostPort(r.IP, strconv.Itoa(int(r.Port))) }

// mode is the encryption to use; empty if the server has none that is known here.
func (r ready) mode() string {
	for _, m := range modes {
		if slices.Contains(r.Modes, m) {
			return m
		}
	}
	return ""
}

// A description is the data of the session description.
type description struct {
	Mode    string `json:"mode"`
	Key     []int  `json:"secret_key"`
	Version int    `json:"dave_protocol_version"`
}

func (d description) key() []byte {
	key := make([]byte, 0, len(d.Key))
	for _, n := range d.Key {
		if n < 0 || n > math.MaxUint8 {
			return nil
		}
		key = append(key, byte(n))
	}
	return key
}
