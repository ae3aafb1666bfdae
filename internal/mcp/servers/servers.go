// Package servers gives models the tools of MCP servers that a file lists: programs, which it runs, and HTTP servers.
//
// A server is reached when a request first may have its tools, and stays connected. Whatever it does costs a model one
// sentence: [Servers.Tools] waits for it only for a moment, a call has a timeout and a bound on what is read, and after
// a failure the server is left alone for a while.
package servers

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"discoclaw/internal/background"
	"discoclaw/internal/doctor"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/tools"
)

// Options say which servers there are. Durations that are 0 have a default.
type Options struct {
	Version string
	File    string // that lists them; empty if there is none
	List    map[string]Spec
	NoTools bool // models may have none
	Log     *slog.Logger

	Wait    time.Duration // of a request for a server that is not connected yet; 5 seconds
	Connect time.Duration // of connecting; a minute, since some are downloaded first
	Call    time.Duration // of a call; a minute
}

const (
	maxTools       = 64       // of all servers together
	maxServerTools = 32       // of one server
	maxDescription = 1000     // characters of a tool's description
	maxSchema      = 16 << 10 // bytes of a tool's schema
	maxName        = 64       // the limit of the vendors of models
	firstPause     = 15 * time.Second
	longestPause   = 10 * time.Minute
)

// Servers are all servers of a file. They are safe for concurrent use.
type Servers struct {
	Options
	all   []*server // by name
	group *background.Group
}

// New returns the servers. None is reached before it is needed.
func New(o Options) *Servers {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	o.Wait, o.Connect, o.Call = cmp.Or(o.Wait, 5*time.Second), cmp.Or(o.Connect, time.Minute), cmp.Or(o.Call, time.Minute)
	s := &Servers{Options: o, group: background.New(o.Log)}
	for _, name := range slices.Sorted(maps.Keys(o.List)) {
		s.all = append(s.all, &server{Servers: s, name: name, spec: o.List[name]})
	}
	return s
}

// Close ends all connections and the programs behind them. When ctx ends, programs that still run are killed.
func (s *Servers) Close(ctx context.Context) error {
	for _, each := range s.all {
		s.group.Go("end of MCP server "+each.name, func(context.Context) { each.close() })
	}
	return s.group.Close(ctx)
}

// Tools returns the tools that a request may have.
func (s *Servers) Tools(ctx context.Context, req llm.Request) []tools.External {
	var may []*server
	for _, each := range s.all {
		if each.spec.serves(req) {
			may = append(may, each)
		}
	}
	if len(may) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, s.Wait)
	defer cancel()
	lists := make([][]tool, len(may))
	var wg sync.WaitGroup
	for i, each := range may {
		wg.Go(func() { lists[i] = each.tools(ctx) })
	}
	wg.Wait()
	var offered []tools.External
	taken := map[string]bool{}
	for i, each := range may {
		for _, t := range lists[i] {
			name := toolName(each.name, t.Name)
			if taken[name] || len(offered) == maxTools {
				continue
			}
			taken[name] = true
			offered = append(offered, tools.External{
				Tool: llm.Tool{Name: name, Description: t.Description, Schema: t.Schema}, Server: each.name,
				Call: func(ctx context.Context, input json.RawMessage) (string, bool, error) {
					return each.call(ctx, t.Name, input)
				},
			})
		}
	}
	return offered
}

// serves reports whether a request may have the server's tools.
func (s Spec) serves(req llm.Request) bool {
	roles := s.Roles
	if len(roles) == 0 {
		roles = []string{"chat"}
	}
	return slices.Contains(roles, req.Payer.Role) && (req.Workspace.Trusted || s.For == forEveryone)
}

// toolName is what models call a tool. Servers name theirs as they like.
func toolName(server, tool string) string {
	name := strings.Map(func(r rune) rune {
		if r < 128 && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-') {
			return r
		}
		return '_'
	}, server+"_"+tool)
	return name[:min(len(name), maxName)]
}

// failure is what a model is told of a server that does not work.
func failure(name, why string) error {
	return fmt.Errorf("the MCP server %s %s. Go on without it, or say that it does not work", name, why)
}

// A Spec is how a server is described in the file. Fields that other programs have there are ignored.
type Spec struct {
	Command string            `json:"command"` // of a server that is a program
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"`

	URL     string            `json:"url"` // of a server that is reached over HTTP
	Headers map[string]string `json:"headers"`

	Disabled bool     `json:"disabled"`
	Roles    []string `json:"roles"` // in which models have its tools; chat if there are none
	For      string   `json:"for"`   // whose turns have them: operators, which is the default, or everyone
}

const (
	forOperators = "operators"
	forEveryone  = "everyone"
)

// serverName keeps the names of tools, which begin with it, to what models' vendors take.
var serverName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,30}$`) })

// Load reads the file of servers that the settings name, if they name one. Known are the roles that there are. The
// error is a sentence for each mistake, without values, which may be secrets.
func Load(path string, known []string) (map[string]Spec, error) {
	if path == "" {
		return nil, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("DISCOCLAW_MCP_FILE: %w", err)
	}
	var file struct {
		Servers map[string]Spec `json:"mcpServers"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, fmt.Errorf("DISCOCLAW_MCP_FILE: %s is not JSON in the shape {\"mcpServers\": {\"name\": {\"command\": …}}}: %w", path, err)
	}
	if file.Servers == nil {
		return nil, fmt.Errorf("DISCOCLAW_MCP_FILE: %s has no mcpServers", path)
	}
	var problems []error
	for _, name := range slices.Sorted(maps.Keys(file.Servers)) {
		s := file.Servers[name]
		if why := s.problem(name, known); why != "" {
			problems = append(problems, fmt.Errorf("DISCOCLAW_MCP_FILE: %s: the server %q %s", path, name, why))
		}
		if s.Disabled {
			delete(file.Servers, name)
		}
	}
	return file.Servers, errors.Join(problems...)
}

func (s Spec) problem(name string, known []string) string {
	u, err := url.Parse(s.URL)
	switch {
	case !serverName().MatchString(name):
		return "needs a name of at most 31 letters, digits, - and _"
	case (s.Command == "") == (s.URL == ""):
		return "needs either a command or a url"
	case s.URL != "" && (err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http"):
		return "has a url that does not begin with https:// or http://"
	case s.For != "" && s.For != forOperators && s.For != forEveryone:
		return "has a value for \"for\" that is neither operators nor everyone"
	}
	for _, role := range s.Roles {
		if !slices.Contains(known, role) {
			return "names a role that there is not; the roles are " + strings.Join(known, ", ")
		}
	}
	return ""
}

// Check implements [doctor.Checker].
func (s *Servers) Check(context.Context) []doctor.Finding {
	f := doctor.Finding{What: "mcp servers", State: "models reached through an API can use the tools of " + strings.Join(slices.Sorted(maps.Keys(s.List)), ", ")}
	switch {
	case s.File == "":
		return nil
	case len(s.List) == 0:
		f.State = "none; DISCOCLAW_MCP_FILE names a file with servers whose tools models may use"
	case s.NoTools:
		f.State, f.Note = "DISCOCLAW_MCP_FILE has no effect with DISCOCLAW_RUNTIME_TOOLS=off", true
	}
	return []doctor.Finding{f}
}
