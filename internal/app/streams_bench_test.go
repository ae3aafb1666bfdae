package app

import (
	"bytes"
	"io"
	"net/http"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"discoclaw/internal/config"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/llmtest"
	"discoclaw/internal/store"
)

// BenchmarkTokens compares reading an answer through all that stands between a vendor and a turn with reading its bytes
// alone. The difference is what the bot adds to each token.
func BenchmarkTokens(b *testing.B) {
	const tokens = 2000
	for _, v := range vendorKinds {
		vendor, client := v.serve()
		vendor.Always(func(x llmtest.Response) {
			for range tokens {
				x.Say("word ")
			}
			x.Done(llm.Usage{Input: 1, Output: tokens})
		})
		b.Run(v.name+"/bytes", func(b *testing.B) {
			send := bare(b, v, client)
			for b.Loop() {
				body := send()
				if _, err := io.Copy(io.Discard, body); err != nil {
					b.Fatal(err)
				}
				body.Close()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/tokens, "ns/token")
		})
		b.Run(v.name+"/answer", func(b *testing.B) {
			r, req := wholeRuntime(b, v, client), streamed(v)
			for b.Loop() {
				for _, err := range r.Invoke(b.Context(), req) {
					if err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/tokens, "ns/token")
		})
		vendor.Close()
	}
}

// BenchmarkOpenStreams measures the memory of 200 answers that are being written, the fake vendor's part included; and that
// of 200 bare responses of it.
func BenchmarkOpenStreams(b *testing.B) {
	for _, v := range vendorKinds {
		vendor, client := v.serve()
		vendor.Always(func(x llmtest.Response) { x.Say("word "); x.Hang() })
		b.Run(v.name+"/bytes", func(b *testing.B) { measureStreams(b, vendor, openResponses(b, bare(b, v, client))) })
		b.Run(v.name+"/answer", func(b *testing.B) { measureStreams(b, vendor, openAnswers(b, wholeRuntime(b, v, client), streamed(v))) })
		vendor.Close()
	}
}

const openStreams = 200

func measureStreams(b *testing.B, vendor llmtest.Vendor, open func() (closeAll func())) {
	for b.Loop() {
		before := memoryInUse()
		closeAll := open()
		b.ReportMetric((memoryInUse()-before)/openStreams, "B/stream")
		closeAll()
		for vendor.Active() > 0 {
			runtime.Gosched()
		}
	}
}

func openResponses(b *testing.B, send func() io.ReadCloser) func() func() {
	return func() func() {
		bodies := make([]io.ReadCloser, openStreams)
		for i := range bodies {
			bodies[i] = send()
			if _, err := bodies[i].Read(make([]byte, 1)); err != nil {
				b.Fatal(err)
			}
		}
		return func() {
			for _, body := range bodies {
				body.Close()
			}
		}
	}
}

func openAnswers(b *testing.B, r llm.Runtime, req llm.Request) func() func() {
	return func() func() {
		leave, began := make(chan struct{}), make(chan error)
		var left sync.WaitGroup
		for range openStreams {
			left.Go(func() {
				for event, err := range r.Invoke(b.Context(), req) {
					if _, says := event.(llm.TextDelta); says || err != nil {
						began <- err
						<-leave
						return
					}
				}
			})
		}
		for range openStreams {
			if err := <-began; err != nil {
				b.Fatal(err)
			}
		}
		return func() { close(leave); left.Wait() }
	}
}

// streamed is a request for a vendor. With a tool, it takes the same way as a turn.
func streamed(v vendorKind) llm.Request {
	req := llm.Request{System: strings.Repeat("word ", 1500), Messages: []llm.Message{{Role: llm.User, Text: "hello"}}}
	if v.tools() != "off" {
		req.Tools = []llm.Tool{{Name: "web_fetch", Description: "Fetch a page.", Schema: []byte(`{"type":"object","properties":{}}`)}}
	}
	return req
}

// wholeRuntime returns the runtime that turns use, for one vendor.
func wholeRuntime(b *testing.B, v vendorKind, client *http.Client) llm.Runtime {
	name, value, _ := strings.Cut(v.env, "=")
	core, err := newCore(config.Env{"DISCORD_TOKEN": "x", "DISCOCLAW_DATA_DIR": b.TempDir(), "DISCOCLAW_MAX_CONCURRENT_INVOCATIONS": "1000", "DISCOCLAW_RUNTIME_TOOLS": v.tools(), name: value}, Externals{Log: io.Discard, ModelHTTP: client})
	if err != nil {
		b.Fatal(err)
	}
	if err := core.db.Open(b.Context(), filepath.Join(b.TempDir(), store.FileName)); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { core.db.Close() })
	return core.runtimes
}

// A recorder keeps the last request.
type recorder struct {
	http.RoundTripper
	last *http.Request
	body []byte
}

func (r *recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	r.last = req
	r.body, _ = io.ReadAll(req.Body)
	req.Body = io.NopCloser(bytes.NewReader(r.body))
	return r.RoundTripper.RoundTrip(req)
}

// bare returns a function that sends the adapter's request by itself, and returns the response.
func bare(b *testing.B, v vendorKind, client *http.Client) func() io.ReadCloser {
	r := &recorder{RoundTripper: client.Transport}
	for event, err := range wholeRuntime(b, v, &http.Client{Transport: r}).Invoke(b.Context(), streamed(v)) {
		if _, says := event.(llm.TextDelta); says || err != nil {
			break
		}
	}
	return func() io.ReadCloser {
		again := r.last.Clone(b.Context())
		again.Body = io.NopCloser(bytes.NewReader(r.body))
		res, err := client.Transport.RoundTrip(again)
		if err != nil || res.StatusCode != http.StatusOK {
			b.Fatal(res, err)
		}
		return res.Body
	}
}

func memoryInUse() float64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc + m.StackInuse)
}
