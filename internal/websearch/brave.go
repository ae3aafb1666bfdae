package websearch

import (
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
