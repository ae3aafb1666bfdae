package work_test

import (
	"strings"
	"testing"

	"discoclaw/internal/chat"
	"discoclaw/internal/plan"
	"discoclaw/internal/plan/phases"
	"discoclaw/internal/plan/plantest"
	"discoclaw/internal/plan/work"
)

// divided returns a plan with three phases.
func divided(t *testing.T, d *plantest.Desk) plan.Plan {
	t.Helper()
	p, err := d.Work.Divide(t.Context(), d.Make("g1", "c1", "u1", ""), false, false)
	if err != nil || len(p.Phases.Phases) != 3 {
		t.Fatalf("%+v, %v", p.Phases, err)
	}
	return p
}

func statuses(p plan.Plan) string {
	var list []string
	for _, ph := range p.Phases.Phases {
		list = append(list, string(ph.Status))
	}
	return strings.Join(list, " ")
}

func requireRefusal(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v does not say %q", err, want)
	}
}

// The phases come from the list of the plan alone, and who wrote another one is shown the form.
func TestAPlanWithoutAListHasNoPhases(t *testing.T) {
	t.Parallel()
	d := plantest.New(t, nil)
	p := d.Edit(d.Make("g1", "c1", "u1", ""), func(text string) string {
		return strings.Replace(text, plantest.Changes, "- `greet/greet.txt`: say it", 1)
	})
	p, err := d.Work.Divide(t.Context(), p, false, false)
	requireRefusal(t, err, "no list of phases that can be read; write one as JSON, such as `[{\"title\"")
	if p.Divided() {
		t.Errorf("%+v", p.Phases)
	}
}

func TestAFailedPhaseIsSkipped(t *testing.T) {
	t.Parallel()
	d := plantest.New(t, nil)
	p := divided(t, d)
	_, _, err := d.Work.Skip(t.Context(), "g1", "1")
	requireRefusal(t, err, "nothing to skip")
	p.Phases.Phases[1].Status = phases.Failed
	if _, err := d.Plans.Divide(t.Context(), p.ID, func(plan.Plan) (phases.Record, error) { return p.Phases, nil }); err != nil {
		t.Fatal(err)
	}
	p, id, err := d.Work.Skip(t.Context(), "g1", "plan-001")
	if got := statuses(p); err != nil || id != "phase-2" || got != "pending skipped pending" {
		t.Errorf("%s, %s, %v", id, got, err)
	}
}

func TestPhasesBeforeATargetAreSkipped(t *testing.T) {
	t.Parallel()
	d := plantest.New(t, nil)
	divided(t, d)
	p, ids, err := d.Work.SkipTo(t.Context(), "g1", "1", "2")
	if got := statuses(p); err != nil || strings.Join(ids, " ") != "phase-1" || got != "skipped pending pending" {
		t.Errorf("%v, %s, %v", ids, got, err)
	}
	for phase, want := range map[string]string{"phase-1": "phase-1 is skipped already", "9": "there is no `phase-9`; this plan has phase-1 to phase-3"} {
		_, _, err := d.Work.SkipTo(t.Context(), "g1", "1", phase)
		requireRefusal(t, err, want)
	}
}

func TestNothingIsSkippedThatIsNotThereOrRuns(t *testing.T) {
	t.Parallel()
	d := plantest.New(t, nil)
	p := d.Make("g1", "c1", "u1", "")
	_, _, err := d.Work.Skip(t.Context(), "g1", "1")
	requireRefusal(t, err, "`!plan phases plan-001` makes them")
	_, _, err = d.Work.SkipTo(t.Context(), "g2", "1", "2")
	requireRefusal(t, err, "there is no such plan")
	if p, err = d.Work.Divide(t.Context(), p, false, false); err == nil {
		_, err = d.Plans.Approve(t.Context(), "g1", "1", "", "u1")
	}
	if err == nil {
		_, _, _, err = d.Plans.Begin(t.Context(), plan.Work{Plan: p.ID, Kind: plan.Running})
	}
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = d.Work.SkipTo(t.Context(), "g1", "1", "2")
	requireRefusal(t, err, "this plan is being carried out")
}

func TestPlansAreNotCarriedOutWhereThatIsOff(t *testing.T) {
	t.Parallel()
	d := plantest.New(t, nil)
	d.Make("g1", "c1", "u1", "")
	d.Work.NoRuns = true
	_, _, err := d.Work.Start(t.Context(), work.Order{Ref: "1", At: chat.Place{Guild: "g1"}})
	requireRefusal(t, err, "plans are not carried out here")
}
