package fakediscord

import "strings"

// A Route is a route as tests see it.
type Route struct {
	Method, Pattern string
	Read, Unbuilt   []string // parameters
	Undescribed     bool
}

// Routes are all of them.
func Routes() (all []Route) {
	for _, rt := range routes() {
		all = append(all, Route{rt.method, rt.pattern, strings.Fields(rt.reads), strings.Fields(rt.lacks), rt.former})
	}
	return all
}
