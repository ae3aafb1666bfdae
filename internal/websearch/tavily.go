package websearch

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
)

const tavilyURL = "https://api.tavily.com"

// tavily speaks https://docs.tavily.com/documentation/api-reference/endpoint/search.
type tavily struct {
	base *url.URL
	key  string
}

func (t tavily) request(ctx context.Context, query string, limit int) (*http.Request, error) {
	// The depth is the one that costs least.
	body, err := json.Marshal(map[string]any{"query": query, "max_results": limit, "search_depth": "basic"})
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, t.base.JoinPath("search").String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+t.key)
	return req, nil
}

func (tavily) results(answer []byte) ([]Result, error) {
	var in struct {
		Results *[]struct{ Title, URL, Content string }
	}
	if json.Unmarshal(answer, &in) != nil || in.Results == nil {
		return nil, errNoAnswer
	}
	var found []Result
	for _, r := range *in.Results {
		found = append(found, Result{Title: r.Title, Address: r.URL, Snippet: r.Content})
	}
	return found, nil
}

func (tavily) fault(status int, _ []byte) fault {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return wrongKey
	case 432, 433: // the limit of the plan, and that of what is paid as one goes
		return usedUp
	}
	return byStatus
}
