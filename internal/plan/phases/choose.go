package phases

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"discoclaw/internal/chat"
)

// Next returns the ID of the phase to run: one that was interrupted, else one that failed, else the first whose dependencies
// are over. ok is false if there is none.
func Next(list []Phase) (id string, ok bool) {
	for _, status := range []Status{InProgress, Failed, Pending} {
		for _, p := range list {
			if p.Status == status && (status != Pending || len(waitsFor(list, p)) == 0) {
				return p.ID, true
			}
		}
	}
	return "", false
}

// AllOver reports whether nothing is left to do, which a plan without phases cannot claim.
func AllOver(list []Phase) bool {
	return len(list) > 0 && !slices.ContainsFunc(list, func(p Phase) bool { return !p.Status.Terminal() })
}

// Runnable returns why the phase with an ID cannot run, or nil.
func Runnable(list []Phase, id string) error {
	i := Index(list, id)
	if i < 0 {
		return fmt.Errorf("there is no %s; this plan has %s", chat.InCode(chat.Clip(id, 40)), idsOf(list))
	}
	p := list[i]
	if p.Status.Terminal() {
		return fmt.Errorf("%s is %s already", p.ID, p.Status)
	}
	if open := waitsFor(list, p); len(open) > 0 {
		return fmt.Errorf("%s depends on %s; run that first, or skip it with `!plan skip-to`", p.ID, chat.And(open))
	}
	return nil
}

func idsOf(list []Phase) string {
	switch len(list) {
	case 0:
		return "no phases"
	case 1:
		return list[0].ID
	}
	return list[0].ID + " to " + list[len(list)-1].ID
}

// Skip skips the first phase that was interrupted or has failed.
func Skip(list []Phase) (skipped []Phase, id string, err error) {
	for i, p := range list {
		if p.Status == InProgress || p.Status == Failed {
			list = slices.Clone(list)
			list[i].Status = Skipped
			return list, p.ID, nil
		}
	}
	return nil, "", errors.New("no phase is in progress or has failed, so there is nothing to skip; `!plan skip-to` goes to a certain phase")
}

// SkipTo skips what stands before a phase and what it depends on, as far as that is not over, so that the phase can run.
func SkipTo(list []Phase, id string) (skipped []Phase, ids []string, err error) {
	target := Index(list, id)
	if target < 0 || list[target].Status.Terminal() {
		return nil, nil, Runnable(list, id)
	}
	skip := closure(list, list[target])
	list = slices.Clone(list)
	for i := range list {
		if p := &list[i]; i != target && !p.Status.Terminal() && (i < target || skip[p.ID]) {
			p.Status = Skipped
			ids = append(ids, p.ID)
		}
	}
	if err := Runnable(list, id); err != nil {
		return nil, nil, err
	}
	return list, ids, nil
}

// closure is everything that a phase depends on, directly or not.
func closure(list []Phase, p Phase) map[string]bool {
	found := map[string]bool{}
	queue := slices.Clone(p.DependsOn)
	for len(queue) > 0 {
		id := queue[0]
		queue = queue[1:]
		if i := Index(list, id); i >= 0 && !found[id] {
			found[id] = true
			queue = append(queue, list[i].DependsOn...)
		}
	}
	return found
}

// Regenerated is what became of old phases.
type Regenerated struct {
	Phases  []Phase
	Kept    []string // IDs of new phases that are done
	Demoted []string // IDs of new phases that were done, but have to be done again because of what they depend on
	Dropped []Phase  // old phases that were done and that the plan no longer has
}

// Regenerate carries over to new phases what was done in old ones that say the same.
func Regenerate(old, fresh []Phase) Regenerated {
	done := map[string][]Phase{}
	for _, p := range old {
		if p.Status == Done {
			done[p.signature()] = append(done[p.signature()], p)
		}
	}
	r := Regenerated{Phases: slices.Clone(fresh)}
	kept := map[string]bool{}
	for i, p := range r.Phases {
		sign := p.signature()
		if len(done[sign]) == 0 {
			continue
		}
		was := done[sign][0]
		done[sign] = done[sign][1:]
		was.ID, was.DependsOn = p.ID, p.DependsOn
		r.Phases[i] = was
		kept[p.ID] = true
	}
	r.demote(kept)
	for _, p := range r.Phases {
		if kept[p.ID] {
			r.Kept = append(r.Kept, p.ID)
		}
	}
	for _, p := range old {
		if left := done[p.signature()]; p.Status == Done && len(left) > 0 {
			done[p.signature()] = left[1:]
			r.Dropped = append(r.Dropped, p)
		}
	}
	return r
}

// demote clears kept phases whose dependencies are not over, until that is so of none.
func (r *Regenerated) demote(kept map[string]bool) {
	for again := true; again; {
		again = false
		for i, p := range r.Phases {
			if kept[p.ID] && len(waitsFor(r.Phases, p)) > 0 {
				r.Phases[i] = p.Fresh()
				r.Demoted = append(r.Demoted, p.ID)
				delete(kept, p.ID)
				again = true
			}
		}
	}
}

// signature is the same for phases that ask for the same.
func (p Phase) signature() string {
	files := slices.Sorted(slices.Values(p.ContextFiles))
	return fmt.Sprintf("%q %q %q %q %q", p.Title, p.Kind, p.Description, strings.Join(files, "\x00"), p.ChangeSpec)
}
