package plans

import (
	"context"
	"fmt"
	"os"
	"strings"

	"discoclaw/internal/doctor"
	"discoclaw/internal/plan/work"
)

// Projects are what plans can change.
type Projects struct {
	Off     bool // plans are
	DataDir string
	Work    *work.Manager
}

// Check implements [doctor.Checker].
func (p Projects) Check(ctx context.Context) []doctor.Finding {
	f := doctor.Finding{What: "projects"}
	if p.Off {
		f.State = "plans are off (DISCOCLAW_PLAN_COMMANDS_ENABLED=0)"
		return []doctor.Finding{f}
	}
	var names []string
	if _, err := os.Stat(p.DataDir); err == nil { // without the folder, there are none
		list, err := p.Work.AllProjects(ctx)
		if err != nil {
			f.State, f.Note = err.Error(), true
			return []doctor.Finding{f}
		}
		for _, project := range list {
			names = append(names, fmt.Sprintf("%s, tested with %q", project.Name, project.Verify))
		}
	}
	if f.State = "plans can change " + strings.Join(names, "; "); len(names) == 0 {
		f.State = "plans have no project to change yet; docs/plans.md explains how to add one"
	}
	return []doctor.Finding{f}
}
