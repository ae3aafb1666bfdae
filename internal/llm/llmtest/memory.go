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
	URL  string // to be used as the base URL
	HTTP *http.Client

	server *http.Server
	served chan struct{}
}

// Listen starts to serve in memory. The caller must Close the result.
func (s *Server) Listen() *Local {
	network := memnet.New()
	l := &Local{
		Server: s,
		URL:    "http://model.test/v1",
		HTTP:   network.HTTPClient(),
		server: &http.Server{Handler: s, ErrorLog: log.New(io.Discard, "", 0)},
		served: make(chan struct{}),
	}
	go func() {
		defer close(l.served)
		_ = l.server.Serve(network) // always ErrServerClosed
	}()
	return l
}

// Close breaks all connections.
func (l *Local) Close() {
	l.HTTP.CloseIdleConnections()
	_ = l.server.Close() // our listener closes without a fault
	<-l.served
}
