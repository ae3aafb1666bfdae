package imagegen

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"
)

//go:embed models.json
var builtin []byte

// A row describes a model, or a family whose name ends with an asterisk. A model that is not known by its name is
// treated like its family.
type row struct {
	Name      string   `json:"name"`
	Provider  string   `json:"provider"`
	Default   bool     `json:"default"`   // of its provider
	Predicts  bool     `json:"predicts"`  // of Gemini: it has the older method, :predict
	Base64    bool     `json:"base64"`    // of OpenAI: it sends an address unless it is asked for data
	Sizes     []string `json:"sizes"`     // or ratios; the first is the default
	Free      bool     `json:"free"`      // it also takes other sizes within its limits
	Qualities []string `json:"qualities"` // empty if there is no choice
	Retired   string   `json:"retired"`   // the day on which the vendor stops serving it
	Successor string   `json:"successor"` // of a retired one
	Estimate  *float64 `json:"estimate"`  // of the price of a picture, in US dollars
	Tokens    *prices  `json:"tokens"`    // if the vendor says how many it took
}

// prices are in US dollars for a million tokens.
type prices struct{ Input, Output float64 }

type table struct {
	Date   string `json:"date"`
	Models []row  `json:"models"`
}

var built = sync.OnceValue(func() table {
	var t table
	if err := json.Unmarshal(builtin, &t); err != nil {
		panic(fmt.Sprintf("imagegen: %v", err)) // a test reads it
	}
	return t
})

// Models returns the names of all models that are known, by their provider.
func Models(provider string) []string {
	var names []string
	for _, r := range built().Models {
		if r.Provider == provider && !strings.HasSuffix(r.Name, "*") {
			names = append(names, r.Name)
		}
	}
	return names
}

// defaultOf returns the model that a provider is asked for if none is named.
func defaultOf(provider string) string {
	for _, r := range built().Models {
		if r.Default && r.Provider == provider {
			return r.Name
		}
	}
	return ""
}

// rowOf finds a model of a provider. Families come last in the table.
func rowOf(provider, model string) row {
	for _, r := range built().Models {
		if r.Provider == provider && r.covers(model) {
			return r
		}
	}
	return row{} // a test sees that each provider has a family of all others
}

// covers reports whether the row describes a model. A version with a date is the model that it is one of.
func (r row) covers(model string) bool {
	if family, ok := strings.CutSuffix(r.Name, "*"); ok {
		return strings.HasPrefix(model, family)
	}
	rest, ok := strings.CutPrefix(model, r.Name)
	return ok && (rest == "" || version().MatchString(rest))
}

var version = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^-20\d\d-\d\d-\d\d$`) })

// providerOf returns the provider to which a model belongs by its name.
func providerOf(model string) string {
	if strings.HasPrefix(model, "imagen-") || strings.HasPrefix(model, "gemini-") {
		return Gemini
	}
	return OpenAI
}

// cost returns the price of a picture, which is an estimate if the number of tokens is 0.
func (r row) cost(u usage) (usd float64, known bool) {
	switch {
	case r.Tokens != nil && u.Output > 0:
		return (float64(u.Input)*r.Tokens.Input + float64(u.Output)*r.Tokens.Output) / 1e6, true
	case r.Estimate != nil:
		return *r.Estimate, true
	}
	return 0, false
}
