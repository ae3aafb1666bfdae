package servers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"discoclaw/internal/actions/dialect"
	"discoclaw/internal/chat"
	"discoclaw/internal/llm"
)

// A tool is one of a server, as the server calls it.
type tool struct {
	Name, Description string
	Schema            json.RawMessage
}

// A server is one of the file.
type server struct {
	*Servers
	name string
	spec Spec

	mu       sync.Mutex
	closed   bool
	line     *line         // nil if it is not connected
	joining  chan struct{} // closed when the attempt to connect that goes on is over; nil if there is none
	known    []tool        // of the latest connection
	failures int           // since a call succeeded
	rests    time.Time     // until when it is left alone
}

// A line is a connection to a server.
type line struct {
	session *mcp.ClientSession
	meter   *meter
}

// tools returns the tools of the server, and connects it first if need be, while ctx lasts. They are those of an
// earlier connection, if there was one: then a call says what is wrong.
func (s *server) tools(ctx context.Context) []tool {
	_, _ = s.connected(ctx) // it is in the log
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.known
}

// connected returns the connection, and makes one if there is none. The attempt goes on when ctx ends.
func (s *server) connected(ctx context.Context) (*line, error) {
	s.mu.Lock()
	switch {
	case s.line != nil:
		defer s.mu.Unlock()
		return s.line, nil
	case s.closed:
		defer s.mu.Unlock()
		return nil, failure(s.name, "is being ended, as the bot is")
	case time.Now().Before(s.rests):
		defer s.mu.Unlock()
		return nil, failure(s.name, "has failed lately, and is left alone for a while")
	}
	if s.joining == nil {
		joining := make(chan struct{})
		s.joining = joining
		if !s.group.Go("MCP server "+s.name, func(ctx context.Context) { s.join(ctx, joining) }) {
			close(joining)
		}
	}
	joining := s.joining
	s.mu.Unlock()
	select {
	case <-joining:
	case <-ctx.Done():
		return nil, failure(s.name, "is not ready yet")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.line == nil {
		return nil, failure(s.name, "cannot be reached")
	}
	return s.line, nil
}

// join connects the server and reads its list of tools.
func (s *server) join(ctx context.Context, over chan struct{}) {
	ctx, cancel := context.WithTimeout(ctx, s.Connect)
	defer cancel()
	l, list, err := s.open(ctx)
	s.mu.Lock()
	s.joining = nil
	stays := err == nil && !s.closed
	if stays {
		s.line, s.known = l, list
	}
	s.mu.Unlock()
	close(over)
	switch {
	case err != nil:
		s.failed(nil, fmt.Errorf("connect: %w", err))
	case !stays:
		_ = l.session.Close() // the bot ends
	default:
		s.Log.InfoContext(ctx, "MCP server connected", "server", s.name, "tools", len(list))
	}
}

// open connects. What the server may send meanwhile is bounded as in a call.
func (s *server) open(ctx context.Context) (*line, []tool, error) {
	l := &line{meter: newMeter()}
	// Without capabilities the server cannot ask us for anything: neither models, nor folders, nor answers of people.
	client := mcp.NewClient(&mcp.Implementation{Name: "discoclaw", Version: s.Version}, &mcp.ClientOptions{
		Capabilities: &mcp.ClientCapabilities{}, MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true},
	})
	session, err := client.Connect(ctx, s.transport(l.meter), nil)
	if err != nil {
		return nil, nil, err
	}
	l.session = session
	var list []tool
	for t, err := range session.Tools(ctx, nil) {
		if err != nil {
			_ = session.Close() // it is of no use
			return nil, nil, err
		}
		schema, ok := schemaOf(t)
		if !ok {
			s.Log.WarnContext(ctx, "a tool of an MCP server is left out, because its schema is too long, is none or has markers of actions",
				"server", s.name, "tool", chat.Clip(t.Name, 100))
			continue
		}
		list = append(list, tool{Name: t.Name, Description: dialect.Defuse(chat.Clip(t.Description, maxDescription)), Schema: schema})
		if len(list) == maxServerTools {
			break
		}
	}
	return l, list, nil
}

// schemaOf returns the schema of a tool with its texts defused. It is false for one that models cannot be shown.
func schemaOf(t *mcp.Tool) (json.RawMessage, bool) {
	var object map[string]any
	schema, err := json.Marshal(t.InputSchema)
	if err != nil || len(schema) > maxSchema || json.Unmarshal(schema, &object) != nil || object == nil || !defused(object) {
		return nil, false
	}
	schema, err = json.Marshal(object)
	return schema, err == nil
}

// defused breaks markers in the descriptions of a schema, and reports whether there are none elsewhere: the server needs its names
// and values as they are.
func defused(schema any) bool {
	switch v := schema.(type) {
	case string:
		text := chat.Visible(v)
		return dialect.Defuse(text) == text
	case []any:
		return !slices.ContainsFunc(v, func(one any) bool { return !defused(one) })
	case map[string]any:
		for key, value := range v {
			text, ok := value.(string)
			switch {
			case ok && (key == "description" || key == "title" || key == "$comment"):
				v[key] = dialect.Defuse(text)
			case !defused(key) || !defused(value):
				return false
			}
		}
	}
	return true
}

// call calls a tool.
func (s *server) call(ctx context.Context, name string, input json.RawMessage) (text string, failed bool, err error) {
	limited, cancel := context.WithTimeoutCause(ctx, s.Call, errLate)
	defer cancel()
	l, err := s.connected(limited)
	if err != nil {
		return "", false, err
	}
	l.meter.refill()
	result, err := l.session.CallTool(limited, &mcp.CallToolParams{Name: name, Arguments: input})
	var refused *jsonrpc.Error
	switch {
	case err == nil:
		s.mu.Lock()
		s.failures = 0
		s.mu.Unlock()
		return textOf(result), result.IsError, nil
	case ctx.Err() != nil: // the request was cancelled, which is not the server's fault
		return "", false, context.Cause(ctx)
	case errors.As(err, &refused) && !isOurs(refused.Code):
		return "It refused the call: " + refused.Message, true, nil
	}
	why := "has ended, or does not speak MCP"
	if l.meter.isEmpty() {
		why = "has sent too much"
	} else if context.Cause(limited) == errLate {
		why = fmt.Sprintf("did not answer within %v", s.Call)
	}
	s.failed(l, fmt.Errorf("call: it %s: %w", why, err))
	return "", false, failure(s.name, why)
}

// isOurs reports whether the library makes errors of a code itself, such as for a connection that has ended, rather than a server.
func isOurs(code int64) bool { return code >= -32099 && code <= -32000 }

var errLate = errors.New("late")

// failed ends a connection that does not work, and leaves the server alone for a while, each time longer.
func (s *server) failed(l *line, err error) {
	s.mu.Lock()
	if s.closed || l != s.line { // another call was first to find out
		s.mu.Unlock()
		return
	}
	s.line = nil
	pause := min(firstPause<<min(s.failures, 10), longestPause)
	s.failures++
	s.rests = time.Now().Add(pause)
	s.mu.Unlock()
	s.Log.Warn("MCP server failed", "server", s.name, "pause", pause, "err", llm.Redact(chat.Clip(chat.OneLine(err.Error()), 300)))
	if l != nil {
		s.group.Go("end of MCP server "+s.name, func(context.Context) { _ = l.session.Close() }) // it may take its time
	}
}

func (s *server) close() {
	s.mu.Lock()
	l := s.line
	s.line, s.closed = nil, true
	s.mu.Unlock()
	if l != nil {
		_ = l.session.Close() // the program is ended in any case
	}
}

// textOf is what a result says. What is not text is named.
func textOf(result *mcp.CallToolResult) string {
	var parts []string
	for _, c := range result.Content {
		switch c := c.(type) {
		case *mcp.TextContent:
			parts = append(parts, c.Text)
		case *mcp.ImageContent:
			parts = append(parts, "(a picture, which cannot be shown)")
		case *mcp.AudioContent:
			parts = append(parts, "(a recording, which cannot be played)")
		case *mcp.ResourceLink:
			parts = append(parts, c.URI)
		case *mcp.EmbeddedResource:
			if c.Resource != nil {
				parts = append(parts, c.Resource.Text)
			}
		}
	}
	if len(parts) == 0 && result.StructuredContent != nil {
		if text, err := json.Marshal(result.StructuredContent); err == nil {
			parts = append(parts, string(text))
		}
	}
	return strings.Join(parts, "\n")
}
