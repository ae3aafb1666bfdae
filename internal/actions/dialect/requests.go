package dialect

import (
	"encoding/json"
	"fmt"

	"discoclaw/internal/actions"
)

// What one reply may ask for in dialects other than blocks.
const (
	maxRequests = 20
	maxSearches = 3
)

var tooMany = actions.Malformed{
	Flaw:   actions.Unusable,
	Detail: fmt.Sprintf("one request too many: a reply has at most %d, and %d web searches", maxRequests, maxSearches),
}

// compiled returns the region of a request.
func compiled(dialect, typ string, members map[string]any) Region {
	all := map[string]any{"type": typ}
	for name, value := range members {
		if name != "type" {
			all[name] = value
		}
	}
	args, err := json.Marshal(all)
	if err != nil {
		return unusable("%s: %v", typ, err)
	}
	return Region{Tidy: true, Request: &actions.Request{Type: typ, Args: args, Dialect: dialect}}
}

// unusable returns the region of markup that cannot be used. The detail is for the model.
func unusable(detail string, args ...any) Region {
	return Region{Tidy: true, Malformed: &actions.Malformed{Flaw: actions.Unusable, Detail: fmt.Sprintf(detail, args...)}}
}

// over puts regions in a place: the first one takes it, the others are empty and stand behind it.
func over(place Span, list ...Region) []Region {
	if len(list) == 0 {
		list = []Region{{Tidy: true}}
	}
	for i := range list {
		list[i].Span = Span{place.End, place.End}
	}
	list[0].Span = place
	return list
}

// asked returns the requests of regions, and how many were too many. Where several dialects ask for
// the same, it is asked for once; where one does, that depends on the dialect.
func asked(regions []Region) (reqs []actions.Request, surplus int) {
	first := map[string]string{} // what was asked for, to its dialect
	for _, region := range regions {
		if req := region.Request; req != nil && req.Dialect == blockDialect {
			reqs = append(reqs, *req)
		}
	}
	if len(reqs) == countRequests(regions) {
		return reqs, 0
	}
	for _, req := range reqs {
		first[content(req)] = blockDialect
	}
	reqs = nil
	others, searches := 0, 0
	for _, region := range regions {
		req := region.Request
		if req == nil {
			continue
		}
		if req.Dialect != blockDialect {
			key := content(*req)
			by, known := first[key]
			if known && (by != req.Dialect || by == signalDialect || by == keywordDialect) {
				continue
			}
			first[key] = req.Dialect
			if others == maxRequests || req.Type == searchType && searches == maxSearches {
				surplus++
				continue
			}
			others++
			if req.Type == searchType {
				searches++
			}
		}
		reqs = append(reqs, *req)
	}
	return reqs, surplus
}

func countRequests(regions []Region) (n int) {
	for _, region := range regions {
		if region.Request != nil {
			n++
		}
	}
	return n
}

// content is the same for requests that mean the same.
func content(r actions.Request) string { return r.Type + " " + r.Arguments() }
