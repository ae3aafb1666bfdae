// Package webhook lets other programs on this machine run jobs: POST /webhook/<job> with a text and its signature.
//
// The [Server] checks a call and has the engine of package cron store it. What it answers with 202 was written to the disk, and runs once.
package webhook

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"discoclaw/internal/background"
	"discoclaw/internal/cron"
)

// Path begins the path of every webhook; the ID of the job follows.
const Path = "/webhook/"

// SignatureHeader is the header with the signature of a call, as GitHub sends it: sha256= and the HMAC of the body in hex.
// https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries
const SignatureHeader = "X-Hub-Signature-256"

const (
	maxBody        = 256 << 10 // bytes
	maxHeader      = 16 << 10  // bytes
	maxConnections = 32        // at a time
	headerTime     = time.Second
	requestTime    = 15 * time.Second // for the body as well
	answerTime     = 30 * time.Second // from the header on
	writeTime      = 10 * time.Second // to store a call
	endTime        = time.Second      // for calls that are being answered when the server ends
)

// A Server receives the calls of webhooks.
type Server struct {
	Jobs *cron.Engine
	Log  *slog.Logger
}

// Serve answers calls until ctx ends, which is no error, and closes the listener.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	server := &http.Server{
		Handler:           http.HandlerFunc(s.answer),
		ReadHeaderTimeout: headerTime, ReadTimeout: requestTime, WriteTimeout: answerTime, MaxHeaderBytes: maxHeader,
		ErrorLog: slog.NewLogLogger(s.Log.Handler(), slog.LevelDebug),
	}
	server.SetKeepAlivesEnabled(false) // an idle connection would take the place of another
	// a caller that takes too long at the end gets no answer, so nothing was accepted
	return background.Serve(ctx, server, limited{l, make(chan struct{}, maxConnections)}, endTime)
}

// answer answers one call.
func (s *Server) answer(w http.ResponseWriter, r *http.Request) {
	job, under := strings.CutPrefix(r.URL.Path, Path)
	a := notFound
	switch {
	case !under:
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		a = answer{http.StatusMethodNotAllowed, "use POST"}
	default:
		a = s.accept(w, r, job)
	}
	if a.code == http.StatusTooManyRequests || a.code == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "60")
	}
	s.Log.DebugContext(r.Context(), "webhook called", "job", job, "status", a.code)
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(a.code)
	_, _ = io.WriteString(w, a.text+"\n") // the caller may have gone
}

// An answer is what a caller is told.
type answer struct {
	code int
	text string
}

// notFound is the answer for a job that does not exist, and for one that takes no calls: both are looked up by the same query.
var notFound = answer{http.StatusNotFound, "there is no such webhook"}

// accept checks a call and has it stored.
func (s *Server) accept(w http.ResponseWriter, r *http.Request, job string) answer {
	ctx, cancel := context.WithTimeout(r.Context(), answerTime)
	defer cancel()
	secret, err := s.Jobs.Secret(ctx, job)
	if err != nil {
		return s.refusal(ctx, job, err)
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	switch {
	case errors.As(err, new(*http.MaxBytesError)):
		return answer{http.StatusRequestEntityTooLarge, "the body may have at most 256 KiB"}
	case errors.Is(err, os.ErrDeadlineExceeded):
		return answer{http.StatusRequestTimeout, "the body took too long"}
	case err != nil:
		return answer{http.StatusBadRequest, "the body cannot be read"}
	}
	signature, ok := signed(r.Header.Get(SignatureHeader), secret, body)
	switch {
	case !ok:
		return answer{http.StatusUnauthorized, "the signature in " + SignatureHeader + " is missing or wrong"}
	case !utf8.Valid(body):
		return answer{http.StatusBadRequest, "the body must be text in UTF-8"}
	}
	ctx, cancel = context.WithTimeout(ctx, writeTime)
	defer cancel()
	if err := s.Jobs.Call(ctx, job, signature, string(body)); err != nil {
		return s.refusal(ctx, job, err)
	}
	return answer{http.StatusAccepted, "accepted"}
}

// signed checks a signature in constant time, and returns it decoded.
func signed(header, secret string, body []byte) (signature []byte, ok bool) {
	digits, ok := strings.CutPrefix(header, "sha256=")
	if !ok {
		return nil, false
	}
	signature, err := hex.DecodeString(digits)
	if err != nil {
		return nil, false
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return signature, hmac.Equal(signature, mac.Sum(nil))
}

// refusal is the answer for a call that the engine does not take.
func (s *Server) refusal(ctx context.Context, job string, err error) answer {
	switch {
	case errors.Is(err, cron.ErrNotFound):
		return notFound
	case errors.Is(err, cron.ErrPaused):
		return answer{http.StatusLocked, "the job is paused, and calls are not made up for"}
	case errors.Is(err, cron.ErrRepeated):
		return answer{http.StatusConflict, "this call was accepted before"}
	case errors.Is(err, cron.ErrTooOften):
		return answer{http.StatusTooManyRequests, "at most 20 calls of a job are accepted in two minutes; try again later"}
	case errors.Is(err, cron.ErrTooMany):
		return answer{http.StatusTooManyRequests, "too many calls wait; try again later"}
	}
	s.Log.ErrorContext(ctx, "cannot accept the call of a webhook", "job", job, "err", err)
	return answer{http.StatusServiceUnavailable, "the call cannot be stored at the moment; try again later"}
}

// A limited listener has as many connections at a time as there are places. A further one waits; it takes a place at the latest when
// callers without a whole header have run out of time.
type limited struct {
	net.Listener
	places chan struct{}
}

func (l limited) Accept() (net.Conn, error) {
	l.places <- struct{}{} // the end of the server closes all connections, which makes room
	conn, err := l.Listener.Accept()
	if err != nil {
		<-l.places
		return nil, err
	}
	return &counted{conn, sync.OnceFunc(func() { <-l.places })}, nil
}

// A counted connection makes room for another when it is closed.
type counted struct {
	net.Conn
	over func()
}

func (c *counted) Close() error {
	defer c.over()
	return c.Conn.Close()
}
