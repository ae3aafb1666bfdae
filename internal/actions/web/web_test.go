package web

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest"
	"discoclaw/internal/chat"
	"discoclaw/internal/websearch"
	"discoclaw/internal/websearch/searchtest"
)

// onWeb returns the category with a SearXNG behind it.
func onWeb(t *testing.T, pages ...searchtest.Page) (*Category, *searchtest.Local) {
	t.Helper()
	local := searchtest.Listen()
	t.Cleanup(local.Close)
	local.Finds(pages...)
	client, err := websearch.New(websearch.Options{Provider: websearch.SearXNG, BaseURL: local.URL, HTTP: local.HTTP})
	if err != nil {
		t.Fatal(err)
	}
	return New(client), local
}

func TestWebSearch(t *testing.T) {
	var pages []searchtest.Page
	for i := range 12 {
		pages = append(pages, searchtest.Page{Title: fmt.Sprintf("[Page](https://evil.example) %d", i+1), URL: fmt.Sprintf("https://example.com/%d", i+1), Text: "words [x](y)"})
	}
	for _, tt := range []struct {
		name, in    string
		pages       int
		line, model string
	}{
		{"one result", `{"type":"webSearch","query":" hot\ntea "}`, 1, "-# Done: found 1 web page for `hot tea`",
			"Done: Web results for \"hot tea\":\n1. (Page)(https://evil.example) 1\n   https://example.com/1\n   words (x)(y)"},
		{"no results", `{"type":"webSearch","query":"tea"}`, 0, "-# Done: found no web pages for `tea`", `Done: No web results for "tea"`},
		{"five unless told otherwise", `{"type":"webSearch","query":"tea"}`, 12, "-# Done: found 5 web pages for `tea`", ""},
		{"as many as asked for", `{"type":"webSearch","query":"tea","limit":10}`, 12, "-# Done: found 10 web pages for `tea`", ""},
		{"too many", `{"type":"webSearch","query":"tea","limit":11}`, 12, "", "Failed: webSearch: limit: 11 is not 1 to 10"},
		{"nothing", `{"type":"webSearch"}`, 1, "", "Failed: webSearch: query: missing"},
		{"blank", `{"type":"webSearch","query":" \u200b "}`, 1, "", "Failed: webSearch: query: empty"},
		{"too long", `{"type":"webSearch","query":"` + strings.Repeat("x", 401) + `"}`, 1, "", "Failed: webSearch: query: has 401 characters, must have at most 400"},
		{"a long query in a short line", `{"type":"webSearch","query":"` + strings.Repeat("x", 400) + `"}`, 0, "-# Done: found no web pages for `" + strings.Repeat("x", 119) + "…`", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, _ := onWeb(t, pages[:tt.pages]...)
			if got := actionstest.Run(t, c, tt.in)[0]; tt.line != "" && got != tt.line {
				t.Errorf("people read %q, want %q", got, tt.line)
			}
			if got := actionstest.Tell(t, c, tt.in)[0]; tt.model != "" && got != tt.model {
				t.Errorf("the model reads %q, want %q", got, tt.model)
			}
		})
	}
}

// search runs a search in a turn.
func search(c *Category, turn chat.TurnID) (actions.Result, error) {
	return c.do(context.Background(), actions.Call{Origin: actions.Origin{Turn: turn}}, WebSearch{Query: "tea", Limit: 5})
}

// TestResultsAreOutsideText, while finding nothing is not.
func TestResultsAreOutsideText(t *testing.T) {
	c, local := onWeb(t)
	if res, err := search(c, ""); err != nil || res.Outside != "" || !res.Open {
		t.Errorf("nothing found: %+v, %v", res, err)
	}
	local.Finds(searchtest.Page{Title: "Tea", URL: "https://example.com"})
	if res, err := search(c, ""); err != nil || res.Outside != Source || !res.Open {
		t.Errorf("found: %+v, %v", res, err)
	}
}

// TestATurnHasFiveSearches, whether they find anything or not.
func TestATurnHasFiveSearches(t *testing.T) {
	c, local := onWeb(t)
	local.Refuses(searchtest.Refusal{Status: 400})
	for i := range 7 {
		_, err := search(c, "A")
		if refused := err != nil && strings.Contains(err.Error(), "at most 5 times"); refused != (i >= 5) {
			t.Errorf("search %d: %v", i+1, err)
		}
	}
	if _, err := search(c, "B"); err != nil {
		t.Errorf("the next turn: %v", err)
	}
	if n := len(local.Queries()); n != 6 {
		t.Errorf("%d searches were made, want 6", n)
	}
}

// TestAChainHasFiveSearches: a model that asks for another turn gets no more of them.
func TestAChainHasFiveSearches(t *testing.T) {
	c, _ := onWeb(t)
	turn := chat.TurnID("one")
	for range maxSearches {
		if _, err := search(c, turn); err != nil {
			t.Fatal(err)
		}
		turn = turn.Next()
	}
	if _, err := search(c, turn); err == nil {
		t.Error("it searches once more")
	}
}

func TestAFailedSearch(t *testing.T) {
	c, local := onWeb(t)
	local.Refuses(searchtest.Refusal{Status: 400})
	if got := actionstest.Run(t, c, `{"type":"webSearch","query":"tea"}`); !slices.Equal(got, []string{"Failed: the web search refused this query; try other words"}) {
		t.Errorf("people read %q", got)
	}
}

// TestTheSwitchNeedsAProvider and what that provider needs.
func TestTheSwitchNeedsAProvider(t *testing.T) {
	flag := New(nil, "PROVIDER", "KEY").Flag()
	if !flag.Default || len(flag.Needs) != 2 || flag.Needs[0].AnyOf[0] != "PROVIDER" || flag.Needs[1].AnyOf[0] != "KEY" {
		t.Errorf("the switch is %+v", flag)
	}
}
