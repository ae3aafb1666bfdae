package userapi

import (
	"net/http"
	"slices"
	"strings"
)

// A route is a kind of request that the API answers.
type route struct {
	method  string
	pattern []string // a part in braces is a variable
	do      func(*call) error
}

func routes() []route {
	var all []route
	add := func(method, pattern string, do func(*call) error) {
		all = append(all, route{method, strings.Split(pattern, "/"), do})
	}
	add("GET", "api/world", (*call).look)
	add("GET", "api/events", (*call).events)
	add("GET", "api/channels/{channel}/messages", (*call).list)
	add("POST", "api/channels/{channel}/messages", (*call).say)
	add("PATCH", "api/channels/{channel}/messages/{message}", (*call).edit)
	add("DELETE", "api/channels/{channel}/messages/{message}", (*call).remove)
	add("PUT", "api/channels/{channel}/messages/{message}/reactions/{emoji}", (*call).react)
	add("DELETE", "api/channels/{channel}/messages/{message}/reactions/{emoji}", (*call).unreact)
	add("PUT", "api/channels/{channel}/messages/{message}/votes/{answer}", (*call).vote)
	add("DELETE", "api/channels/{channel}/messages/{message}/votes/{answer}", (*call).unvote)
	add("POST", "api/channels/{channel}/messages/{message}/press", (*call).press)
	add("POST", "api/channels/{channel}/messages/{message}/commands", (*call).pick)
	add("POST", "api/channels/{channel}/threads", (*call).startThread)
	add("GET", "api/channels/{channel}/commands", (*call).offers)
	add("POST", "api/channels/{channel}/commands", (*call).use)
	add("POST", "api/channels/{channel}/commands/suggestions", (*call).suggest)
	add("POST", "api/channels/{channel}/forms", (*call).submit)
	return all
}

// find returns the handler of a request.
func (c *call) find(method string, parts []string) (func(*call) error, map[string]string, error) {
	var others []string
	for _, rt := range c.routes {
		vars, fits := rt.match(parts)
		switch {
		case fits && rt.method == method:
			return rt.do, vars, nil
		case fits:
			others = append(others, rt.method)
		}
	}
	if others == nil {
		return nil, nil, refusal{http.StatusNotFound, "there is nothing at this address"}
	}
	slices.Sort(others)
	allowed := strings.Join(others, ", ")
	c.w.Header().Set("Allow", allowed)
	return nil, nil, refusal{http.StatusMethodNotAllowed, "this address takes " + allowed + " only"}
}

func (rt route) match(parts []string) (vars map[string]string, ok bool) {
	if len(parts) != len(rt.pattern) {
		return nil, false
	}
	vars = map[string]string{}
	for i, p := range rt.pattern {
		if name, isVar := strings.CutPrefix(p, "{"); isVar {
			vars[strings.TrimSuffix(name, "}")] = parts[i]
		} else if p != parts[i] {
			return nil, false
		}
	}
	return vars, true
}
