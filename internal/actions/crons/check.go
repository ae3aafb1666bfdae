package crons

import (
	"context"

	"discoclaw/internal/doctor"
)

// Check implements [doctor.Checker]: it says whether webhooks run jobs.
func (c *Category) Check(context.Context) []doctor.Finding {
	if c.Webhooks == "" {
		return []doctor.Finding{{What: "webhooks", State: "off; DISCOCLAW_WEBHOOK_ENABLED=1 lets programs on this machine run scheduled jobs"}}
	}
	return []doctor.Finding{{What: "webhooks", State: "programs on this machine can run scheduled jobs with signed requests to " + c.Webhooks}}
}
