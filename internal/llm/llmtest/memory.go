package llmtest

import (
	"io"
	"log"
	"net/http"

	"discoclaw/internal/memnet"
)

// A Local is a Server that can be reached in memory only, by its own client. It
// works inside a test bubble, where a real network would hold the clock.
type Local struct {
	*Server
	*Memory
}

// Listen starts to serve in memory. The caller must Close the result.
func (s *Server) Listen() *Local { return &Local{Server: s, Memory: listen(s, "/v1")} }

// A Memory is the way to a server that can be reached in memory only.
type Memory struct {
	URL  string // to be used as the base URL
	HTTP *http.Client

	server *http.Server
	served chan struct{}
}

func listen(h http.Handler, path string) *Memory {
	network := memnet.New()
	m := &Memory{
		URL:    "http://model.test" + path,
		HTTP:   network.HTTPClient(),
		server: &http.Server{Handler: h, ErrorLog: log.New(io.Discard, "", 0)},
		served: make(chan struct{}),
	}
	go func() {
		defer close(m.served)
		_ = m.server.Serve(network) // always ErrServerClosed
	}()
	return m
}

// Options are how a runtime reaches the server.
func (m *Memory) Options() Options { return Options{Key: Key, BaseURL: m.URL, HTTP: m.HTTP} }

// Close breaks all connections.
func (m *Memory) Close() {
	m.HTTP.CloseIdleConnections()
	_ = m.server.Close() // our listener closes without a fault
	<-m.served
}
