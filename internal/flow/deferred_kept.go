package flow

import (
	"context"
	"encoding/json"
	"fmt"

	"discoclaw/internal/deferral"
	"discoclaw/internal/inbox"
)

// PutOffRuns are the deferred runs that were claimed and wait to be tried again.
func (f *Flows) PutOffRuns(ctx context.Context) ([]deferral.Job, error) {
	events, err := f.putOffRuns(ctx)
	if err != nil {
		return nil, err
	}
	var jobs []deferral.Job
	for _, e := range events {
		var b deferredBody
		if err := json.Unmarshal(e.Body, &b); err != nil {
			return nil, fmt.Errorf("read %s: %w", e.ID, err)
		}
		jobs = append(jobs, b.Job)
	}
	return jobs, nil
}

// CallOffRun drops one of them. It says whether it did: the run may go on by now.
func (f *Flows) CallOffRun(ctx context.Context, id int64) (bool, error) {
	events, err := f.putOffRuns(ctx)
	if err != nil {
		return false, err
	}
	for _, e := range events {
		if e.ID != deferredEvent(id) {
			continue
		}
		ours, err := f.Inbox.CallOff(ctx, e.ID)
		if ours {
			f.Forget(ctx, e.Turn)
		}
		return ours, err
	}
	return false, nil
}

func (f *Flows) putOffRuns(ctx context.Context) ([]inbox.Event, error) {
	if f.Inbox == nil {
		return nil, nil
	}
	return f.Inbox.Waiting(ctx, inbox.Deferred)
}
