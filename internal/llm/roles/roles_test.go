package roles

import (
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func current(a *Assignments) map[Role]string {
	all := map[Role]string{}
	for _, as := range a.All() {
		all[as.Role] = as.Model
	}
	return all
}

func TestBuiltInModels(t *testing.T) {
	want := map[Role]string{
		Chat: "capable", Fast: "fast", ForgeDrafter: "capable", ForgeAuditor: "deep",
		Summary: "fast", Consent: "fast", Cron: "fast", CronExec: "capable", PlanRun: "capable", Voice: "capable",
	}
	if diff := cmp.Diff(want, current(New(Options{}))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestConfiguredModels(t *testing.T) {
	got := current(New(Options{Models: map[Role]string{Chat: "big", Summary: "tiny", PlanRun: ""}}))
	for role, want := range map[Role]string{Chat: "big", CronExec: "big", Summary: "tiny", Cron: "fast", PlanRun: "capable"} {
		if got[role] != want {
			t.Errorf("%s uses %s, want %s", role, got[role], want)
		}
	}
}

func TestSet(t *testing.T) {
	for _, tt := range []struct {
		name    string
		role    Role
		model   Name
		changed []Role
		want    map[Role]string // of some roles
	}{
		{"one role", ForgeAuditor, "x", []Role{ForgeAuditor}, map[Role]string{ForgeAuditor: "x", Chat: "big"}},
		{"chat changes the roles that follow it", Chat, "x", []Role{Chat}, map[Role]string{Chat: "x", CronExec: "x", PlanRun: "capable"}},
		{"fast changes its small jobs, also configured ones", Fast, "x", []Role{Fast, Summary, Consent, Cron}, map[Role]string{Fast: "x", Summary: "x", Consent: "x", Cron: "x", Chat: "big"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := New(Options{Models: map[Role]string{Chat: "big", Summary: "tiny"}})
			before := current(a)
			changed, err := a.Set(tt.role, tt.model)
			if err != nil {
				t.Fatal(err)
			}
			var roles []Role
			for _, c := range changed {
				roles = append(roles, c.Role)
			}
			if diff := cmp.Diff(tt.changed, roles); diff != "" {
				t.Errorf("changed (-want +got):\n%s", diff)
			}
			for role, want := range tt.want {
				if got := current(a)[role]; got != want {
					t.Errorf("%s uses %s, want %s", role, got, want)
				}
			}
			if _, err := a.Set(tt.role, Default); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(before, current(a)); diff != "" {
				t.Errorf("%s does not take it back (-before +after):\n%s", Default, diff)
			}
		})
	}
}

func TestSetChangesNothingOnAnError(t *testing.T) {
	a := New(Options{})
	before := current(a)
	for _, bad := range []struct{ role, model, want string }{
		{"boss", "x", `unknown role "boss"; the roles are chat, fast`},
		{"chat", "", `"" is not a model's name`},
		{"fast", "two words", `"two words" is not a model's name`},
		{"fast", "line\nbreak", "is not a model's name"},
	} {
		if _, err := a.Set(Role(bad.role), Name(bad.model)); err == nil || !strings.Contains(err.Error(), bad.want) {
			t.Errorf("Set(%q, %q): %v, want %s", bad.role, bad.model, err, bad.want)
		}
	}
	if diff := cmp.Diff(before, current(a)); diff != "" {
		t.Errorf("(-before +after):\n%s", diff)
	}
}

func TestAssignmentsCanBeSharedByGoroutines(t *testing.T) {
	a := New(Options{})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 100 {
				if _, err := a.Set(Fast, "x"); err != nil {
					t.Error(err)
				}
				a.All()
			}
		})
	}
	wg.Wait()
}
