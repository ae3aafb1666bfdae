// Package searchtest is a web search for tests: a server that speaks the languages of Tavily, Brave and SearXNG, as their
// documentation has them, and refuses what they would refuse. It is for tests only.
package searchtest

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"discoclaw/internal/memnet"
)

// A Page is what a search may find.
type Page struct{ Title, URL, Text string }

// A Server finds the same pages whatever is asked for. It is safe for concurrent use.
type Server struct {
	Key string // the only one that Tavily and Brave accept, unless it is empty; set it before use

	mu      sync.Mutex
	pages   []Page
	refuse  []Refusal
	queries []string
}

// A Refusal is an answer without results.
type Refusal struct {
	Status     int
	Body       string
	RetryAfter string // the header; empty means none
	Location   string // of a redirect
}

// Finds sets the pages that are found from now on.
func (s *Server) Finds(pages ...Page) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pages = pages
}

// Refuses adds refusals, each for one request.
func (s *Server) Refuses(list ...Refusal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuse = append(s.refuse, list...)
}

// Queries returns what was asked for, in order, refused searches included.
func (s *Server) Queries() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.queries)
}

// ServeHTTP answers one request, in the language of its address.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.Method + " " + r.URL.Path {
	case "POST /search":
		s.tavily(w, r)
	case "GET /res/v1/web/search":
		s.brave(w, r)
	case "GET /search":
		s.searxng(w, r)
	default:
		http.NotFound(w, r)
	}
}

func (s *Server) accepts(key string) bool { return key != "" && (s.Key == "" || key == s.Key) }

func (s *Server) tavily(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Query      string `json:"query"`
		MaxResults int    `json:"max_results"`
		Depth      string `json:"search_depth"`
	}
	decoder := json.NewDecoder(r.Body)
	decoder.DisallowUnknownFields()
	switch err := decoder.Decode(&in); {
	case !s.accepts(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")):
		answer(w, http.StatusUnauthorized, map[string]any{"detail": map[string]any{"error": "Unauthorized: missing or invalid API key."}})
		return
	case err != nil, in.Query == "", in.MaxResults < 0, in.MaxResults > 20, in.Depth != "basic", r.Header.Get("Content-Type") != "application/json":
		answer(w, http.StatusBadRequest, map[string]any{"detail": map[string]any{"error": fmt.Sprintf("invalid: %+v, %v", in, err)}})
		return
	}
	pages, ok := s.search(w, in.Query)
	if !ok {
		return
	}
	results := []map[string]any{}
	for _, p := range pages[:min(len(pages), in.MaxResults)] {
		results = append(results, map[string]any{"title": p.Title, "url": p.URL, "content": p.Text, "score": 0.9, "raw_content": nil})
	}
	answer(w, http.StatusOK, map[string]any{"query": in.Query, "answer": nil, "images": []any{}, "results": results, "response_time": 1.2})
}

func (s *Server) brave(w http.ResponseWriter, r *http.Request) {
	in := r.URL.Query()
	q := in.Get("q")
	count, err := strconv.Atoi(in.Get("count"))
	fail := func(status int, code string) {
		answer(w, status, map[string]any{"type": "ErrorResponse", "error": map[string]any{"status": status, "code": code, "detail": "See the code.", "meta": map[string]any{}}})
	}
	switch {
	case !s.accepts(r.Header.Get("X-Subscription-Token")):
		fail(http.StatusUnprocessableEntity, "SUBSCRIPTION_TOKEN_INVALID")
		return
	case err != nil, count < 1, count > 20, q == "", len([]rune(q)) > 400, len(strings.Fields(q)) > 50, in.Get("text_decorations") != "false", in.Get("result_filter") != "web":
		fail(http.StatusUnprocessableEntity, "VALIDATION")
		return
	}
	pages, ok := s.search(w, q)
	if !ok {
		return
	}
	out := map[string]any{"type": "search", "query": map[string]any{"original": q, "more_results_available": false}}
	if len(pages) > 0 {
		results := []map[string]any{}
		for _, p := range pages[:min(len(pages), count)] {
			results = append(results, map[string]any{"type": "search_result", "title": html.EscapeString(p.Title), "url": p.URL, "description": html.EscapeString(p.Text), "language": "en"})
		}
		out["web"] = map[string]any{"type": "search", "results": results, "family_friendly": true}
	}
	answer(w, http.StatusOK, out)
}

func (s *Server) searxng(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query().Get("q")
	if r.URL.Query().Get("format") != "json" || q == "" {
		http.Error(w, "<!DOCTYPE html>", http.StatusBadRequest)
		return
	}
	pages, ok := s.search(w, q)
	if !ok {
		return
	}
	results := []map[string]any{}
	for _, p := range pages {
		results = append(results, map[string]any{"title": p.Title, "url": p.URL, "content": p.Text, "engine": "duckduckgo", "engines": []string{"duckduckgo"}, "positions": []int{1}, "score": 1, "category": "general"})
	}
	answer(w, http.StatusOK, map[string]any{"query": q, "number_of_results": 0, "results": results, "answers": []any{}, "infoboxes": []any{}, "suggestions": []any{}, "unresponsive_engines": []any{}})
}

// search records a query and returns what it finds, unless it is refused.
func (s *Server) search(w http.ResponseWriter, query string) (found []Page, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queries = append(s.queries, query)
	if len(s.refuse) == 0 {
		return slices.Clone(s.pages), true
	}
	next := s.refuse[0]
	s.refuse = s.refuse[1:]
	for name, value := range map[string]string{"Retry-After": next.RetryAfter, "Location": next.Location} {
		if value != "" {
			w.Header().Set(name, value)
		}
	}
	w.WriteHeader(next.Status)
	_, _ = w.Write([]byte(next.Body)) // a client that is gone has its own error
	return nil, false
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // a client that is gone has its own error
}

// A Local is a Server that can be reached in memory only, so that it works inside a test bubble.
type Local struct {
	*Server
	URL  string // of SearXNG
	HTTP *http.Client

	server *http.Server
	served chan struct{}
}

// Listen starts to serve in memory. The caller must Close the result.
func Listen() *Local {
	network := memnet.New()
	l := &Local{Server: &Server{}, URL: "http://127.0.0.1:8080", HTTP: network.HTTPClient(), served: make(chan struct{})}
	l.server = &http.Server{Handler: l.Server}
	go func() {
		defer close(l.served)
		_ = l.server.Serve(network) // always ErrServerClosed
	}()
	return l
}

// Close breaks all connections.
func (l *Local) Close() {
	l.HTTP.CloseIdleConnections()
	_ = l.server.Close() // a listener in memory closes without a fault
	<-l.served
}
