package tools

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/llm"
)

func TestPublicAddresses(t *testing.T) {
	for text, want := range map[string]bool{
		"8.8.8.8": true, "1.1.1.1": true, "172.32.0.1": true, "100.128.0.1": true, "192.167.255.255": true, "2606:4700::1111": true, "::ffff:8.8.8.8": true,
		"64:ff9b::808:808": true, "2002:808:808::1": true,
		"0.0.0.0": false, "0.1.2.3": false, "10.1.2.3": false, "100.64.0.1": false, "100.100.100.200": false, "127.0.0.1": false, "127.255.0.1": false,
		"168.63.129.16": false, "169.254.169.254": false, "172.16.0.1": false, "172.31.255.255": false, "192.0.0.1": false, "192.0.2.1": false, "192.88.99.1": false,
		"192.168.0.1": false, "198.18.0.1": false, "198.19.255.255": false, "198.51.100.1": false, "203.0.113.1": false, "224.0.0.1": false, "239.1.1.1": false,
		"240.0.0.1": false, "255.255.255.255": false,
		"::": false, "::1": false, "::7f00:1": false, "::ffff:127.0.0.1": false, "::ffff:10.0.0.1": false, "fe80::1": false, "fe80::1%eth0": false, "fec0::1": false, "fc00::1": false,
		"fd00:ec2::254": false, "ff02::1": false, "64:ff9b::7f00:1": false, "64:ff9b::a9fe:a9fe": false, "64:ff9b:1::1": false, "2002:7f00:1::": false, "2002:a00:1::1": false,
		"2001::1": false, "2001:db8::1": false, "2001:2::1": false, "3fff::1": false, "100::1": false, "5f00::1": false,
	} {
		if got := isPublic(netip.MustParseAddr(text)); got != want {
			t.Errorf("isPublic(%s) = %t", text, got)
		}
	}
	if isPublic(netip.Addr{}) {
		t.Error("no address at all is public")
	}
}

func TestTextOfAPage(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"blocks", "<p>a<p>b<br>c<div>d</div>", "a\nb\nc\nd"},
		{"spaces", "a  <b>b</b>\nc<i>d</i>e", "a b cde"},
		{"case", "<SCRIPT>x</Script>a<STYLE>y</STYLE>b", "ab"},
		{"no end", "a<script>x", "a"},
		{"unfinished tag", "a<b", "a"},
		{"bracket in quotes", `<img alt="a > b">c`, "c"},
		{"comment", "a<!-- <p> -->b", "ab"},
		{"entities", "a &lt;b&gt; &#39;c&#39;", "a <b> 'c'"},
		{"link", `<a class=x href='https://e.org/'>e</a>!`, "e (https://e.org/) !"},
		{"other link", `<a href="/x">e</a>`, "e"},
		{"nothing", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := strings.TrimSpace(htmlText(tt.in)); got != tt.want {
				t.Errorf("%q becomes %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestTheEndsOfAFloodAreKept(t *testing.T) {
	e := &ends{most: 10}
	for i := range 1000 {
		_, _ = e.Write([]byte{byte('a' + i%26), byte('A' + i%26)}) // never fails
	}
	if got := e.String(); got != "aAbBc\n… (1990 bytes left out) …\nJkKlL" || len(e.head)+len(e.tail) > 10 {
		t.Errorf("%q, with %d bytes in memory", got, len(e.head)+len(e.tail))
	}
}

// probe is a tool that does what a test wants.
type probe func(ctx context.Context) (result, error)

func (probe) about() string                                         { return "" }
func (p probe) run(ctx context.Context, _ *session) (result, error) { return p(ctx) }

// runProbes has a model call the same probe in one answer, n times, and returns what came of it.
func runProbes(ctx context.Context, n int, changes bool, p probe) (events []llm.Event, results []llm.ToolResult, err error) {
	s := &session{looped: &looped{Options: Options{Log: slog.New(slog.DiscardHandler)}}, output: maxOutput, yield: func(e llm.Event, failed error) bool {
		if err = failed; failed == nil {
			events = append(events, e)
		}
		return true
	}}
	var list []*pending
	for range n {
		list = append(list, &pending{tool: tool{Tool: llm.Tool{Name: "probe"}, changes: changes}, input: p})
	}
	if !s.inOrder(ctx, list) {
		return events, nil, err
	}
	for _, p := range list {
		results = append(results, s.take(p))
	}
	return events, results, err
}

func TestFourReadersRunAtOnceAndWritersAlone(t *testing.T) {
	for _, tt := range []struct {
		changes bool
		want    int32
		took    time.Duration
	}{{false, 4, 3 * time.Second}, {true, 1, 10 * time.Second}} {
		synctest.Test(t, func(t *testing.T) {
			var now, most atomic.Int32
			began := time.Now()
			_, results, err := runProbes(t.Context(), 10, tt.changes, func(context.Context) (result, error) {
				if n := now.Add(1); n > most.Load() {
					most.Store(n)
				}
				time.Sleep(time.Second)
				now.Add(-1)
				return result{text: "ok"}, nil
			})
			if most.Load() != tt.want || time.Since(began) != tt.took || len(results) != 10 || err != nil {
				t.Errorf("%d at once, %s, %v", most.Load(), time.Since(began), err)
			}
		})
	}
}

func TestAPanicIsAFailedResult(t *testing.T) {
	_, results, err := runProbes(t.Context(), 1, false, func(context.Context) (result, error) { panic("oops") })
	if err != nil || !results[0].Failed || results[0].Text != "This tool has broken down. Try another way, or say that it does not work." {
		t.Errorf("%v, %v", results, err)
	}
}

func TestALongCallShowsThatItIsAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		events, _, _ := runProbes(t.Context(), 1, true, func(context.Context) (result, error) {
			time.Sleep(100 * time.Second)
			return result{}, nil
		})
		thinking := 0
		for _, e := range events {
			if e == (llm.Thinking{}) {
				thinking++
			}
		}
		if thinking != 3 {
			t.Errorf("%d signs of life in 100 seconds", thinking)
		}
	})
}

func TestLeavingDoesNotWaitForATool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stopped := errors.New("stopped")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(stopped) })
		began := time.Now()
		_, _, err := runProbes(ctx, 1, true, func(context.Context) (result, error) {
			time.Sleep(time.Hour) // deaf to ctx
			return result{}, nil
		})
		if err != stopped || time.Since(began) != time.Second {
			t.Errorf("%v after %s", err, time.Since(began))
		}
		time.Sleep(time.Hour)
	})
}
