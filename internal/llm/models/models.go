// Package models is a dated table of the vendors' models: which of them is in which tier, and what they cost.
// Models and prices change within months, so this is data: operators override the tiers in their settings and the
// prices with a file.
package models

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"sync"

	"discoclaw/internal/llm"
)

//go:embed models.json
var builtin []byte

type table struct {
	Tiers  map[string]map[string]string `json:"tiers"` // by runtime and tier
	Prices map[string]Price             `json:"prices"`
}

var built = sync.OnceValue(func() table {
	var t table
	if err := json.Unmarshal(builtin, &t); err != nil {
		panic(fmt.Sprintf("models: %v", err)) // a test reads it
	}
	return t
})

// Tiers returns the models of a runtime's tiers (fast, capable, deep). It is nil for a runtime that chooses for
// itself.
func Tiers(runtime string) map[string]string { return built().Tiers[runtime] }

// IsTier reports whether a name is that of a tier.
func IsTier(name string) bool { return name == "fast" || name == "capable" || name == "deep" }

// A Price is in US dollars for a million tokens. Without a price of their own, cached and stored tokens cost what
// others do.
type Price struct {
	Input   float64  `json:"input"`
	Cached  *float64 `json:"cached"`
	Written *float64 `json:"written"`
	Output  float64  `json:"output"`
	// Image is the price of one picture that is made on request; nil if it is not known here.
	Image *float64 `json:"image"`
	// Speech is the price of a million characters that are spoken; nil if it is not known here.
	Speech *float64 `json:"speech"`
	// Minute is the price of a minute of sound that is recognised; nil if it is not known here. Recorded is that of a recording, if it
	// is another one than that of live sound.
	Minute   *float64 `json:"minute"`
	Recorded *float64 `json:"recorded"`
}

// Of returns what a call costs, in US dollars.
func (p Price) Of(u llm.Usage) float64 {
	cached, written := p.Input, p.Input
	if p.Cached != nil {
		cached = *p.Cached
	}
	if p.Written != nil {
		written = *p.Written
	}
	plain := max(0, u.Input-u.Cached-u.Written)
	return (float64(plain)*p.Input + float64(u.Cached)*cached + float64(u.Written)*written + float64(u.Output)*p.Output) / 1e6
}

// Prices are the prices of models by name.
type Prices map[string]Price

// LoadPrices returns the prices of the table, and of a file in the same form, which come first. The file may be "".
func LoadPrices(file string) (Prices, error) {
	all := maps.Clone(built().Prices)
	if file == "" {
		return all, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("it cannot be read: %w", err)
	}
	var own Prices
	if err := json.Unmarshal(text, &own); err != nil {
		return nil, fmt.Errorf(`it is not JSON in the form {"a-model": {"input": 1.5, "cached": 0.15, "output": 6}}: %w`, err)
	}
	var fields map[string]map[string]any
	_ = json.Unmarshal(text, &fields) // as above
	for name, p := range own {
		if p.bad() {
			return nil, fmt.Errorf("the price of %q is not in dollars for a million tokens", name)
		}
		if err := complete(fields[name]); err != nil {
			return nil, fmt.Errorf("the price of %q %w", name, err)
		}
		all[name] = p
	}
	return all, nil
}

// complete refuses a price that would leave tokens free by mistake.
func complete(fields map[string]any) error {
	for name := range fields {
		if !slices.Contains([]string{"input", "cached", "written", "output", "image", "speech", "minute", "recorded"}, name) {
			return fmt.Errorf("has an unknown field %q", name)
		}
	}
	_, input := fields["input"]
	_, output := fields["output"]
	_, image := fields["image"]
	_, speech := fields["speech"]
	_, minute := fields["minute"]
	if input != output || !input && !image && !speech && !minute {
		return errors.New("needs input and output; write 0 for what is free")
	}
	return nil
}

func (p Price) bad() bool {
	for _, n := range []*float64{&p.Input, p.Cached, p.Written, &p.Output, p.Image, p.Speech, p.Minute, p.Recorded} {
		if n != nil && (*n < 0 || *n > 1e5 || math.IsNaN(*n)) {
			return true
		}
	}
	return false
}

// Find returns the price of a model. A version with a date, such as gpt-6-sol-2026-09-22, costs what its model does, and so does a voice
// or subject of Deepgram's, such as aura-2-thalia-en.
func (all Prices) Find(model string) (Price, bool) {
	if p, ok := all[model]; ok {
		return p, true
	}
	if parts := strings.SplitN(model, "-", 3); len(parts) == 3 && (parts[0] == "aura" || parts[0] == "nova") {
		p, ok := all[parts[0]+"-"+parts[1]]
		return p, ok
	}
	best := ""
	for name := range all {
		rest, ok := strings.CutPrefix(model, name+"-20")
		if ok && len(rest) >= 2 && strings.Trim(rest, "0123456789-") == "" && len(name) > len(best) {
			best = name
		}
	}
	return all[best], best != ""
}

// Family returns the API runtime that a model is known to belong to by its name, or "".
func Family(model string) string {
	switch {
	case strings.Contains(model, "/"):
		return "openrouter"
	case strings.HasPrefix(model, "claude-"):
		return "anthropic"
	case strings.HasPrefix(model, "gemini-"):
		return "gemini"
	case strings.HasPrefix(model, "gpt-"):
		return "openai"
	}
	return ""
}
