package app

import (
	"net/http"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/web"
	"discoclaw/internal/config"
	"discoclaw/internal/websearch"
)

// newSearch returns what searches the web, or nil if nothing does. What the settings lack is said by the category's switch.
func newSearch(s config.Search, client *http.Client) web.Searcher {
	search, err := websearch.New(websearch.Options{Provider: websearch.Provider(s.Provider), Key: s.Key.Reveal(),
		BaseURL: searchURL(s), HTTP: client})
	if err != nil {
		return nil
	}
	return search
}

// searchURL is the address of a SearXNG. That of another provider is not in the settings: a key would travel there.
func searchURL(s config.Search) string {
	if s.Provider != "searxng" {
		return ""
	}
	return string(s.URL)
}

// searchWarning is about searches that were asked for, by the switch or by naming a provider, and lack a setting.
func (c *Core) searchWarning(env config.Env) string {
	own := web.New(nil).Flag().Env
	named, by := c.Config.Search.Provider != "", own
	if named {
		by = "DISCOCLAW_WEBSEARCH_PROVIDER"
	}
	master, _ := env.Bool(actions.MasterSwitch, true) // wrong values of switches are problems of their own
	on, _ := env.Bool(own, named)
	for _, name := range c.Config.Search.Needs() {
		if master && on && !env.Has(name) {
			return by + " has no effect without " + name
		}
	}
	return ""
}
