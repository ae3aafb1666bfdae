// Package web is the category of actions that look at the web.
package web

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/websearch"
)

// Source is what the results of a search are called on the card of a change that follows them.
const Source chat.Sources = "the results of a web search"

// A Searcher is a *websearch.Client.
type Searcher interface {
	Search(ctx context.Context, query string, limit int) ([]websearch.Result, error)
}

// A Category searches the web.
type Category struct {
	search Searcher
	needs  []string
	turns  actions.PerTurn
}

// New returns the category. It is closed until the variables are set that it needs; the searcher may be nil until then.
func New(s Searcher, needs ...string) *Category {
	return &Category{search: s, needs: needs}
}

func (*Category) Name() string { return "web" }

func (c *Category) Flag() actions.Flag {
	flag := actions.Flag{Env: "DISCOCLAW_DISCORD_ACTIONS_WEB", Default: true}
	for _, name := range c.needs {
		flag.Needs = append(flag.Needs, actions.Requirement{AnyOf: []string{name}})
	}
	return flag
}

func (c *Category) Actions() []*actions.Action {
	return []*actions.Action{c.webSearch()}
}

// A WebSearch asks a search engine.
type WebSearch struct {
	Query string `json:"query" doc:"What to search for, as one would type it into a search engine." max:"400"`
	Limit int    `json:"limit,omitempty" doc:"How many results." min:"1" max:"10" default:"5"`
}

func (c *Category) webSearch() *actions.Action {
	return actions.Define(actions.Spec[WebSearch]{
		Name:     "webSearch",
		Aliases:  []string{"SEARCH", "SEARCH_WEB", "INTERNET_SEARCH", "ONLINE_SEARCH", "SEARCH_ONLINE", "INTERNET_LOOKUP", "QUERY_WEB", "GOOGLE", "FETCH", "SEARCH_DEEPER"},
		Summary:  "Search the web; the results have addresses and a few words of each page.",
		Notes:    []string{fmt.Sprintf("The query goes to a search engine, so leave out what is private; %d searches at most for one request of a person.", maxSearches)},
		Effect:   actions.Queries,
		Reads:    actions.Texts,
		Examples: []WebSearch{{Query: "Go 1.26 release notes"}, {Query: "weather in Lisbon tomorrow", Limit: 3}},
		Check: func(in WebSearch) error {
			if chat.OneLine(in.Query) == "" {
				return errors.New("query: empty")
			}
			return nil
		},
		Do: c.do,
	})
}

// maxSearches is how many searches a turn may make, its follow-ups included: most providers charge for each.
const maxSearches = 5

func (c *Category) do(ctx context.Context, call actions.Call, in WebSearch) (actions.Result, error) {
	if call.MayLeak(in.Query) {
		return actions.Result{}, errors.New("not searched, because I had read what not everybody here may know, and something from outside; " +
			"write the very words that I should search for")
	}
	if !c.turns.Take(call.Origin.Turn, maxSearches) {
		return actions.Result{}, fmt.Errorf("not searched, because I search the web at most %d times per request; ask again, and I will go on", maxSearches)
	}
	query := chat.OneLine(in.Query)
	found, err := c.search.Search(ctx, query, in.Limit)
	if err != nil {
		return actions.Result{}, err
	}
	did := actions.Listed("found", len(found), "web page", "web pages") + " for " + chat.InCode(chat.Shorten(query, maxShown))
	if len(found) == 0 {
		return actions.Result{Found: `No web results for "` + query + `"`, Summary: did, Open: true}, nil
	}
	return actions.Result{Found: list(query, found), Summary: did, Open: true, Outside: Source}, nil
}

// maxShown is how many characters of a query people see.
const maxShown = 120

// list has the results without square brackets: a link with other words than its address would lead people astray who are shown
// the list itself, after the last answer of a turn.
func list(query string, found []websearch.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, `Web results for "%s":`, query)
	for i, r := range found {
		fmt.Fprintf(&b, "\n%d. %s\n   %s", i+1, chat.InBrackets(r.Title), r.Address)
		if r.Snippet != "" {
			b.WriteString("\n   " + chat.InBrackets(r.Snippet))
		}
	}
	return b.String()
}
