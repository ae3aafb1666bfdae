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

// SkipTo skips what stands before a phase, as far as that is not over, so that the phase can run.
func SkipTo(list []Phase, id string) (skipped []Phase, ids []string, err error) {
	target := Index(list, id)
	if target < 0 || list[target].Status.Terminal() {
		return nil, nil, Runnable(list, id)
	}
	list = slices.Clone(list)
	for i := range target {
		if p := &list[i]; !p.Status.Terminal() {
			p.Status = Skipped
			ids = append(ids, p.ID)
		}
	}
	if err := Runnable(list, id); err != nil {
		return nil, nil, err
	}
	return list, ids, nil
}

// Regenerate carries over to new phases what was done in old ones that say the same.
func Regenerate(old, fresh []Phase) []Phase {
	done := map[string][]Phase{}
	for _, p := range old {
		if p.Status == Done {
			done[p.signature()] = append(done[p.signature()], p)
		}
	}
	list := slices.Clone(fresh)
	for i, p := range list {
		// What depends on a phase stands after it, and has to be done again if that has.
		if same := done[p.signature()]; len(same) > 0 && len(waitsFor(list, p)) == 0 {
			done[p.signature()] = same[1:]
			list[i] = same[0]
			list[i].ID, list[i].DependsOn = p.ID, p.DependsOn
		}
	}
	return list
}

// signature is the same for phases that ask for the same.
func (p Phase) signature() string {
	files := slices.Sorted(slices.Values(p.ContextFiles))
	return fmt.Sprintf("%q %q %q %q %q", p.Title, p.Kind, p.Description, strings.Join(files, "\x00"), p.ChangeSpec)
}

// CheckGraph returns what is wrong with the dependencies: a phase depends on others that stand before it, each of which is there once.
func CheckGraph(list []Phase) error {
	before := map[string]bool{}
	for _, p := range list {
		if before[p.ID] {
			return fmt.Errorf("%s is there twice", p.ID)
		}
		for _, need := range p.DependsOn {
			if !before[need] {
				return fmt.Errorf("%s depends on %s, which does not stand before it", p.ID, need)
			}
		}
		before[p.ID] = true
	}
	return nil
}

// waitsFor returns the dependencies of a phase that are not over, or not there.
func waitsFor(list []Phase, p Phase) []string {
	var open []string
	for _, need := range p.DependsOn {
		if i := Index(list, need); i < 0 || !list[i].Status.Terminal() {
			open = append(open, need)
		}
	}
	return open
}

// Index returns the position of a phase, or -1.
func Index(list []Phase, id string) int {
	return slices.IndexFunc(list, func(p Phase) bool { return p.ID == id })
}
