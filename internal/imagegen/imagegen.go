// Package imagegen generates pictures with the image models of OpenAI, of compatible servers, and of Google.
//
// A [Studio] turns what people want into an [Order] that the model can carry out, and [Studio.Make] carries it out. What
// each model takes is in models.json, a dated table, since models come and go within months.
package imagegen

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/transport"
	"discoclaw/internal/sleep"
)

// The providers.
const (
	OpenAI = "openai"
	Gemini = "gemini"
)

// Options are the settings. The zero value has no provider.
type Options struct {
	OpenAIKey  string
	OpenAIBase string // as in https://example.com/v1; empty means OpenAI's own server
	GeminiKey  string
	GeminiBase string // as in https://example.com; empty means Google's own server
	Model      string // for orders that name none; empty means the default of a provider that has a key

	HTTP *http.Client // nil means a client with timeouts; redirects are never followed
	Log  *slog.Logger // nil discards
}

const (
	// Timeout is the longest time for one call. Pictures take from ten seconds to two minutes.
	Timeout = 3 * time.Minute
	// MaxTime is the longest time for an order, which may wait for others and is tried again once.
	MaxTime = 10 * time.Minute

	maxAtOnce = 2                // calls
	maxPause  = 30 * time.Second // that a server may ask for
	pause     = 2 * time.Second  // if it does not say
)

// otherServersModel is the default at other servers with OpenAI's API, since their models are unknown. Most of them
// accept this name.
const otherServersModel = "dall-e-3"

// A Studio has pictures made. It is safe for concurrent use.
type Studio struct {
	Options
	vendors map[string]vendor
	places  chan struct{} // has an element for each call
}

// A vendor is a provider's server.
type vendor struct {
	transport *transport.Transport
	key       string
	base      string
	host      string // for people
	vars      string // prefix of its variable for the key
}

// New returns a studio. Nothing is sent before the first order.
func New(o Options) *Studio {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	s := &Studio{Options: o, places: make(chan struct{}, maxAtOnce)}
	s.vendors = map[string]vendor{
		OpenAI: newVendor(o, "OPENAI", "OPENAI", o.OpenAIKey, "https://api.openai.com/v1", o.OpenAIBase),
		// With other runtimes people write the version into the address.
		Gemini: newVendor(o, "GEMINI", "IMAGEGEN_GEMINI", o.GeminiKey, "https://generativelanguage.googleapis.com", strings.TrimSuffix(strings.TrimSuffix(o.GeminiBase, "/"), "/v1beta")),
	}
	return s
}

func newVendor(o Options, prefix, vars, key, home, base string) vendor {
	base = strings.TrimSuffix(cmp.Or(base, home), "/")
	v := vendor{
		transport: transport.New(transport.Options{Runtime: "imagegen", Prefix: prefix, Key: key, Home: home, BaseURL: base,
			HTTP: o.HTTP, Refusal: refusal}),
		key: key, base: base, host: "the server", vars: vars,
	}
	if u, err := url.Parse(base); err == nil && u.Host != "" {
		v.host = u.Host
	}
	return v
}

// A Wish is what people want. All but the prompt may be empty.
type Wish struct{ Prompt, Provider, Model, Size, Quality string }

// An Order is a wish as a model can fulfil it.
type Order struct {
	Prompt, Provider, Model string
	Size, Quality           string
	Notes                   []string // how it differs from the wish, for people

	row row
}

// Estimate returns what the picture will cost at most in usual sizes, in US dollars, if that is known.
func (o Order) Estimate() (usd float64, known bool) { return o.row.cost(usage{}) }

// names of models are a part of an address.
var names = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`) })

// Order checks a wish. The error begins with the field that is wrong.
func (s *Studio) Order(w Wish) (Order, error) {
	o := Order{Prompt: strings.TrimSpace(w.Prompt), Provider: strings.ToLower(w.Provider), Model: strings.TrimSpace(w.Model)}
	switch {
	case o.Prompt == "":
		return Order{}, errors.New("prompt: empty")
	case o.Provider != "" && o.Provider != OpenAI && o.Provider != Gemini:
		return Order{}, errors.New("provider: must be openai or gemini")
	case o.Model == "":
		o.Model = s.defaultModel(o.Provider)
	}
	if !names().MatchString(o.Model) {
		return Order{}, errors.New("model: not the name of a model, which has letters, digits, dots and hyphens")
	}
	o.Provider = cmp.Or(o.Provider, providerOf(o.Model))
	if o.Provider == Gemini && providerOf(o.Model) != Gemini {
		return Order{}, fmt.Errorf("model: %s is not a model of gemini; use %s", o.Model, defaultOf(Gemini))
	}
	o.row = rowOf(o.Provider, o.Model)
	var notes [2]string
	var err error
	if o.Size, notes[0], err = o.row.size(o.Model, w.Size); err != nil {
		return Order{}, err
	}
	if o.Quality, notes[1], err = o.row.quality(o.Model, w.Quality); err != nil {
		return Order{}, err
	}
	for _, note := range notes {
		if note != "" {
			o.Notes = append(o.Notes, note)
		}
	}
	return o, nil
}

// defaultModel returns the model of a wish that names none.
func (s *Studio) defaultModel(provider string) string {
	switch {
	case s.Model != "" && (provider == "" || provider == providerOf(s.Model)):
		return s.Model
	case provider == Gemini || provider == "" && s.OpenAIKey == "" && s.GeminiKey != "":
		return defaultOf(Gemini)
	case s.OpenAIBase != "":
		return otherServersModel
	}
	return defaultOf(OpenAI)
}

// Ready returns why an order cannot be carried out with the settings.
func (s *Studio) Ready(o Order) error {
	if v := s.vendors[o.Provider]; v.key == "" {
		return &Failure{What: fmt.Sprintf("I have no key for %s, so I can't ask for %s", v.host, o.Model), Remedy: "set " + v.vars + "_API_KEY, or name another model in IMAGEGEN_DEFAULT_MODEL", Unpaid: true}
	}
	return nil
}

// Retirement returns the day on which the vendor of an order's model stops serving it, and the model to use instead. They are empty if the
// table has none. Other servers have models of the same names for longer.
func (s *Studio) Retirement(o Order) (day, successor string) {
	if o.Provider == OpenAI && s.OpenAIBase != "" {
		return "", ""
	}
	return o.row.Retired, o.row.Successor
}

// Make carries an order out. The error is a *Failure, unless ctx ended.
func (s *Studio) Make(ctx context.Context, o Order) (Picture, error) {
	if err := s.Ready(o); err != nil {
		return Picture{}, err
	}
	select {
	case s.places <- struct{}{}:
		defer func() { <-s.places }()
	case <-ctx.Done():
		return Picture{}, &Failure{What: "it had not begun yet when I was stopped", Unpaid: true, Err: context.Cause(ctx)}
	}
	began := time.Now()
	p, err := s.attempt(ctx, o)
	if e, ok := errors.AsType[*llm.Error](err); ok && again(e) {
		s.Log.WarnContext(ctx, "image request failed, retrying", "model", o.Model, "err", e.Details())
		if !sleep.For(ctx, cmp.Or(e.RetryAfter, pause)) {
			return Picture{}, &Failure{What: "I was stopped", Unpaid: true, Err: context.Cause(ctx)}
		}
		p, err = s.attempt(ctx, o)
	}
	if err != nil {
		return Picture{}, s.failure(ctx, o, err)
	}
	s.Log.InfoContext(ctx, "picture made", "provider", o.Provider, "model", o.Model, "size", o.Size, "took", time.Since(began), "bytes", len(p.Data), "usd", p.USD)
	s.Log.DebugContext(ctx, "picture made of this", "prompt", o.Prompt)
	return p, nil
}

// again reports whether a call may be made once more: the server has answered that it did nothing.
func again(e *llm.Error) bool {
	return e.Status != 0 && (e.Kind == llm.RateLimited || e.Kind == llm.Unavailable) && e.RetryAfter <= maxPause
}

// attempt makes one call.
func (s *Studio) attempt(ctx context.Context, o Order) (Picture, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, Timeout, errLate)
	defer cancel()
	v := s.vendors[o.Provider]
	var data []byte
	var u usage
	var err error
	switch {
	case o.Provider == OpenAI:
		data, u, err = v.openai(ctx, o)
	case o.row.Predicts:
		data, err = v.imagen(ctx, o)
	default:
		data, err = v.gemini(ctx, o)
	}
	if err == nil {
		var p Picture
		if p, err = examine(data); err == nil {
			p.USD, p.Priced = o.row.cost(u)
			return p, nil
		}
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return Picture{}, err
}

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
