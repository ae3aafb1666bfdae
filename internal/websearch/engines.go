package websearch

import (
	"bytes"
	"context"
	"encoding/json"
	"html"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

const braveURL = "https://api.search.brave.com/res/v1"

// maxBraveWords is how many words a query may have there.
const maxBraveWords = 50

// brave speaks https://api-dashboard.search.brave.com/app/documentation/web-search/get-started.
type brave struct {
	base *url.URL
	key  string
}

func (b brave) request(ctx context.Context, query string, limit int) (*http.Request, error) {
	words := strings.Fields(query)
	address := b.base.JoinPath("web", "search")
	address.RawQuery = url.Values{
		"q":     {strings.Join(words[:min(len(words), maxBraveWords)], " ")},
		"count": {strconv.Itoa(limit)},
		// Without news, videos and the like, and without the tags around words that match.
		"result_filter":    {"web"},
		"text_decorations": {"false"},
	}.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("X-Subscription-Token", b.key)
	return req, nil
}

// results are in web, which is missing if there are none. Their texts are written for web pages.
func (brave) results(answer []byte) ([]Result, error) {
	var in struct {
		Type string
		Web  struct {
			Results []struct{ Title, URL, Description string }
		}
	}
	if json.Unmarshal(answer, &in) != nil || in.Type != "search" {
		return nil, errNoAnswer
	}
	var found []Result
	for _, r := range in.Web.Results {
		found = append(found, Result{Title: html.UnescapeString(r.Title), Address: r.URL, Snippet: html.UnescapeString(r.Description)})
	}
	return found, nil
}

// fault goes by the code as well: a wrong key has the status of a wrong query.
func (brave) fault(status int, answer []byte) fault {
	var in struct{ Error struct{ Code string } }
	_ = json.Unmarshal(answer, &in) // without a code, the status has to do
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden || in.Error.Code == "SUBSCRIPTION_TOKEN_INVALID":
		return wrongKey
	case status == http.StatusPaymentRequired:
		return usedUp
	}
	return byStatus
}

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
