package servers

import (
	"context"
	"maps"
	"slices"
	"strings"

	"discoclaw/internal/doctor"
)

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
