package fakediscord

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// maxRequest is the size of the largest request Discord reads.
// https://discord.com/developers/docs/reference#uploading-files
const maxRequest = 25 << 20

// A route is a REST endpoint.
type route struct {
	method  string
	pattern string // "/channels/{channel}/messages"
	handle  func(*call) (answer, error)
	reads   string // its query parameters, separated by spaces, also those of which Discord makes nothing
	lacks   string // those that Discord has and that are not built
	open    bool   // the token is in the path, not in a header
	former  bool   // Discord answers it for older clients, and no longer describes it
}

// name is the route as faults, limits and exchanges write it.
func (rt *route) name() string {
	if rt == nil {
		return ""
	}
	return rt.method + " " + rt.pattern
}

// match compares a path with the pattern. exact counts the literal parts, so that the
// closest of several patterns can be chosen.
func (rt *route) match(method string, parts []string) (vars map[string]string, exact int, ok bool) {
	pattern := strings.Split(rt.pattern, "/")
	if method != rt.method || len(parts) != len(pattern) {
		return nil, 0, false
	}
	vars = map[string]string{}
	for i, p := range pattern {
		name, isVar := strings.CutPrefix(p, "{")
		switch {
		case isVar:
			vars[strings.TrimSuffix(name, "}")] = parts[i]
		case p == parts[i]:
			exact++
		default:
			return nil, 0, false
		}
	}
	return vars, exact, true
}

// find picks the route for an escaped path.
func (w *World) find(method, path string) (found *route, vars map[string]string) {
	parts := strings.Split(path, "/")
	for i, p := range parts {
		if plain, err := url.PathUnescape(p); err == nil {
			parts[i] = plain
		}
	}
	best := -1
	for i := range w.routes {
		if v, exact, ok := w.routes[i].match(method, parts); ok && exact > best {
			found, vars, best = &w.routes[i], v, exact
		}
	}
	return found, vars
}

// An answer is a response to the client.
type answer struct {
	status int
	header http.Header
	body   []byte
}

func jsonAnswer(status int, body any) answer {
	return answer{status: status, header: http.Header{"Content-Type": {"application/json"}}, body: encode(body)}
}

func ok(body any) (answer, error)      { return jsonAnswer(http.StatusOK, body), nil }
func created(body any) (answer, error) { return jsonAnswer(http.StatusCreated, body), nil }
func done() (answer, error)            { return answer{status: http.StatusNoContent, header: http.Header{}}, nil }

// Handler serves the world: the REST API under /api/v10 (and v9), the gateway's
// websocket at /gateway, and uploaded files under /attachments.
func (w *World) Handler() http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Date", w.clock().UTC().Format(http.TimeFormat))
		path := r.URL.EscapedPath()
		for _, prefix := range []string{"/api/v10/", "/api/v9/"} {
			if rest, found := strings.CutPrefix(path, prefix); found {
				w.serveREST(rw, r, "/"+rest)
				return
			}
		}
		switch {
		case strings.HasPrefix(path, "/api/"):
			w.serveREST(rw, r, path) // another version; answered as not built
		case path == "/gateway" || path == "/gateway/":
			w.gateway.ServeHTTP(rw, r)
		case strings.HasPrefix(path, "/attachments/"):
			w.serveAttachment(rw, r)
		default:
			http.NotFound(rw, r)
		}
	})
}

func (w *World) serveREST(rw http.ResponseWriter, r *http.Request, path string) {
	body, err := io.ReadAll(http.MaxBytesReader(rw, r.Body, maxRequest))
	var tooLarge *http.MaxBytesError
	if err != nil && !errors.As(err, &tooLarge) {
		panic(http.ErrAbortHandler) // the client disconnected within its request
	}
	rt, vars := w.find(r.Method, path)
	x := Exchange{
		At: w.clock(), Method: r.Method, Path: path, Query: r.URL.RawQuery, Route: rt.name(), Request: body,
		Reason: unescape(r.Header.Get("X-Audit-Log-Reason")), ContentType: r.Header.Get("Content-Type"),
		Undescribed: rt != nil && rt.former,
	}
	var a answer
	var fault *Fault
	do := w.change
	if r.Method == http.MethodGet {
		do = w.look
	}
	_ = do(func() error { // which never fails
		if err != nil {
			a = errTooLarge.answer()
		} else {
			a, fault = w.respond(rt, &call{World: w, r: r, route: rt, vars: vars, body: body})
		}
		return nil
	})
	x.Status, x.Response, x.Spoilt = a.status, a.body, fault != nil
	for _, f := range w.record(x) {
		f(x)
	}
	if fault != nil && fault.Kind == Hang {
		select {
		case <-r.Context().Done():
		case <-w.closed:
		}
	}
	a.write(rw)
}

// write sends the answer, or cuts the connection if there is none.
func (a answer) write(rw http.ResponseWriter) {
	if a.status == 0 {
		panic(http.ErrAbortHandler) // net/http closes the connection without a response
	}
	for key, values := range a.header {
		rw.Header()[key] = values
	}
	rw.WriteHeader(a.status)
	_, _ = rw.Write(a.body) // the client may be gone
}

func unescape(s string) string {
	if plain, err := url.QueryUnescape(s); err == nil {
		return plain
	}
	return s
}

func (w *World) record(x Exchange) []func(Exchange) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.exchanges) == maxExchanges {
		w.exchanges = slices.Delete(w.exchanges, 0, maxExchanges/2)
	}
	w.exchanges = append(w.exchanges, x)
	return w.onExchange
}

// respond computes the answer to a request, and the fault that spoiled it.
func (w *World) respond(rt *route, c *call) (answer, *Fault) {
	if rt == nil {
		return w.notBuilt(fmt.Sprintf("%s %s", c.r.Method, c.r.URL.Path)), nil
	}
	if !rt.open && c.r.Header.Get("Authorization") != "Bot "+w.token() {
		return errUnauthorized.answer(), nil
	}
	fault := w.takeFault(rt.name())
	if fault != nil && !fault.Accepted {
		return fault.answer(), fault
	}
	headers, over := w.take(rt, c.vars)
	a := answer{}
	if over != nil {
		a, fault = *over, nil
	} else {
		a = w.perform(rt, c)
	}
	if fault != nil {
		a = fault.answer()
	}
	for key, values := range headers {
		if a.header != nil {
			a.header[key] = values
		}
	}
	return a, fault
}

func (w *World) perform(rt *route, c *call) answer {
	c.bot = w.botMember()
	err := errors.Join(c.readForm(), c.checkParameters())
	var a answer
	if err == nil {
		a, err = rt.handle(c)
	}
	var refused *apiError
	var missing notBuiltError
	switch {
	case err == nil:
		return a
	case errors.As(err, &refused):
		return refused.answer()
	case errors.As(err, &missing):
		return w.notBuilt(rt.name() + " with " + string(missing))
	default:
		return jsonAnswer(http.StatusInternalServerError, object{"message": err.Error(), "code": 0})
	}
}

func (e *apiError) answer() answer { return jsonAnswer(e.status, e.json()) }

// A notBuiltError names a part of a request that is not built.
type notBuiltError string

func (e notBuiltError) Error() string { return "not built: " + string(e) }

// lack lists something that is not built.
func (w *World) lack(what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.unbuilt = append(w.unbuilt, what)
}

// notBuilt is a response that cannot be overlooked.
func (w *World) notBuilt(what string) answer {
	w.unbuilt = append(w.unbuilt, what)
	return jsonAnswer(http.StatusNotImplemented, object{
		"code": 0, "message": "THE FAKE DISCORD CANNOT DO THIS: " + what + " is not built; add it to internal/fakediscord",
	})
}
