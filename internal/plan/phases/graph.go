package phases

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// CheckGraph returns what is wrong with the dependencies: phases that are not there, or there twice, and circles.
func CheckGraph(list []Phase) error {
	byID := map[string]Phase{}
	var errs []error
	for _, p := range list {
		if _, twice := byID[p.ID]; twice {
			errs = append(errs, fmt.Errorf("%s is there twice", p.ID))
		}
		byID[p.ID] = p
	}
	for _, p := range list {
		for _, need := range p.DependsOn {
			if _, ok := byID[need]; !ok {
				errs = append(errs, fmt.Errorf("%s depends on %s, which is not there", p.ID, need))
			}
		}
	}
	if circle := circleIn(list, byID); circle != nil {
		errs = append(errs, fmt.Errorf("phases wait for each other: %s", strings.Join(circle, " → ")))
	}
	return errors.Join(errs...)
}

// circleIn returns the first circle that it finds.
func circleIn(list []Phase, byID map[string]Phase) []string {
	finished := map[string]bool{}
	var way []string
	var visit func(id string) []string
	visit = func(id string) []string {
		if i := slices.Index(way, id); i >= 0 {
			return append(slices.Clone(way[i:]), id)
		}
		if finished[id] {
			return nil
		}
		way = append(way, id)
		for _, need := range byID[id].DependsOn {
			if circle := visit(need); circle != nil {
				return circle
			}
		}
		way = way[:len(way)-1]
		finished[id] = true
		return nil
	}
	for _, p := range list {
		if circle := visit(p.ID); circle != nil {
			return circle
		}
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
