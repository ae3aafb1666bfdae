package servers

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
)

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
