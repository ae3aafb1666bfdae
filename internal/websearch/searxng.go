package websearch

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
)

// searxng speaks https://docs.searxng.org/dev/search_api.html.
type searxng struct{ base *url.URL }

func (s searxng) request(ctx context.Context, query string, _ int) (*http.Request, error) {
	address := s.base.JoinPath("search")
	address.RawQuery = url.Values{"q": {query}, "format": {"json"}}.Encode()
	return http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
}

// results are the pages that several engines have found. To be refused by some of them is not the same as finding nothing.
func (searxng) results(answer []byte) ([]Result, error) {
	var in struct {
		Results      *[]struct{ Title, URL, Content string }
		Unresponsive []json.RawMessage `json:"unresponsive_engines"`
	}
	switch {
	case json.Unmarshal(answer, &in) != nil || in.Results == nil:
		return nil, errNoAnswer
	case len(*in.Results) == 0 && len(in.Unresponsive) > 0:
		return nil, errPartial
	}
	var found []Result
	for _, r := range *in.Results {
		found = append(found, Result{Title: r.Title, Address: r.URL, Snippet: r.Content})
	}
	return found, nil
}

// fault: a format that is not allowed there is forbidden.
func (searxng) fault(status int, _ []byte) fault {
	if status == http.StatusForbidden {
		return noFormat
	}
	return byStatus
}
