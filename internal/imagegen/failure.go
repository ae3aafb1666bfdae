package imagegen

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/transport"
)

// A Failure is the reason why there is no picture.
type Failure struct {
	What   string // a sentence for everybody, with what they can do about it
	Remedy string // for operators; may be empty
	Unpaid bool   // it has certainly cost nothing
	Err    error  // may be nil

	// Declined means that the vendor does not want to make such a picture. It counts as one, since too many wishes of this kind
	// endanger the account.
	Declined bool
}

func (f *Failure) Error() string { return f.What }
func (f *Failure) Unwrap() error { return f.Err }

// errLate ends a call that takes too long.
var errLate = errors.New("no picture in time")

// failure describes an error of an attempt, and logs it.
func (s *Studio) failure(ctx context.Context, o Order, err error) error {
	if ctx.Err() != nil {
		return &Failure{What: "I was stopped while the picture was being made, and it may have been paid for", Err: context.Cause(ctx)}
	}
	v := s.vendors[o.Provider]
	if err == errLate {
		s.Log.WarnContext(ctx, "no picture in time", "provider", o.Provider, "model", o.Model, "size", o.Size)
		return &Failure{What: fmt.Sprintf("%s did not finish within %d minutes; ask for a smaller picture, or for a lower quality", v.host, Timeout/time.Minute), Err: err}
	}
	e, ok := errors.AsType[*llm.Error](err)
	if !ok {
		e = &llm.Error{Kind: llm.Refused, Err: err}
	}
	s.Log.WarnContext(ctx, "no picture", "provider", o.Provider, "model", o.Model, "size", o.Size, "err", e.Details())
	f := &Failure{Err: e, Unpaid: e.Kind != llm.Broken && e.Kind != llm.Stalled, Declined: e.Kind == llm.Blocked}
	f.What, f.Remedy = v.words(o, e)
	return f
}

// words returns the sentence for everybody and the remedy for operators.
func (v vendor) words(o Order, e *llm.Error) (what, remedy string) {
	key := v.vars + "_API_KEY"
	switch e.Kind {
	case llm.Unauthorized:
		return v.host + " did not accept my key", "check " + key
	case llm.Forbidden:
		return fmt.Sprintf("%s does not let me use %s", v.host, o.Model), "check what the account of " + key + " may use; OpenAI wants some organizations to be verified first"
	case llm.NoCredit:
		return fmt.Sprintf("my account at %s has no credit left", v.host), "add some to the account of " + key
	case llm.RateLimited:
		return fmt.Sprintf("%s takes no more requests for now; try again %s", v.host, later(e.RetryAfter)), ""
	case llm.Unavailable:
		return fmt.Sprintf("I can't reach %s right now%s; try again %s", v.host, status(e), later(e.RetryAfter)), ""
	case llm.NoSuchModel:
		return v.gone(o)
	case llm.Blocked:
		return fmt.Sprintf("%s declined to make this picture%s; describe it differently", v.host, reason(e)), ""
	case llm.TooLong:
		return "the description is too long for " + o.Model + "; use fewer words", ""
	case llm.Broken, llm.Stalled:
		return fmt.Sprintf("the answer of %s was of no use, and may have been paid for; try again", v.host), "the log has the details"
	}
	return fmt.Sprintf("%s did not make a picture%s", v.host, status(e)), cmp.Or(e.Remedy, "the log has the details")
}

// gone says that a server does not have a model.
func (v vendor) gone(o Order) (what, remedy string) {
	what = fmt.Sprintf("%s does not have the model %s", v.host, o.Model)
	if o.row.Successor == "" {
		return what, "name another one in IMAGEGEN_DEFAULT_MODEL"
	}
	return fmt.Sprintf("%s, which was retired on %s; use %s instead", what, o.row.Retired, o.row.Successor),
		"IMAGEGEN_DEFAULT_MODEL=" + o.row.Successor + " makes it the default"
}

func later(after time.Duration) string {
	if after <= 0 {
		return "a little later"
	}
	return fmt.Sprintf("in %d seconds", int((after+time.Second-1)/time.Second))
}

func status(e *llm.Error) string {
	if e.Status == 0 {
		return ""
	}
	return fmt.Sprintf(" (status %d)", e.Status)
}

// reason returns a vendor's code for its refusal, which is one word. A longer text may quote the prompt.
func reason(e *llm.Error) string {
	code, _, _ := strings.Cut(e.Err.Error(), ": ")
	if code == "" || len(code) > 60 || strings.ContainsAny(code, " \n`") {
		return ""
	}
	return " (" + code + ")"
}

// A fault is how both vendors describe an error. OpenAI has a type, a code and a parameter, Google a status and
// details.
type fault struct {
	Message, Type, Param, Status string
	Code                         any // of Google, the status in digits
	Details                      []struct{ Reason, RetryDelay string }
}

// refusal makes an error of the body of a response that is no answer.
func refusal(d *transport.Transport, status int, body []byte) *llm.Error {
	var in struct{ Error fault }
	_ = json.Unmarshal(body, &in) // what is no JSON does not say why
	f := in.Error
	code, _ := f.Code.(string)
	told := []string{code, f.Type, f.Status}
	var wait time.Duration
	for _, detail := range f.Details {
		told = append(told, detail.Reason)
		if span, err := time.ParseDuration(detail.RetryDelay); err == nil {
			wait = transport.Span(float64(span), 1)
		}
	}
	e := d.Fault(f.classify(code, status), status, append(told, f.Message)...)
	e.RetryAfter = wait
	return e
}

// codes are values of the code or of a reason.
var codes = map[string]llm.Kind{
	"invalid_api_key": llm.Unauthorized, "API_KEY_INVALID": llm.Unauthorized, "API_KEY_EXPIRED": llm.Unauthorized,
	"insufficient_quota": llm.NoCredit, "billing_hard_limit_reached": llm.NoCredit, "billing_not_active": llm.NoCredit, "BILLING_DISABLED": llm.NoCredit,
	"rate_limit_exceeded": llm.RateLimited,
	"model_not_found":     llm.NoSuchModel, "DeploymentNotFound": llm.NoSuchModel,
	"moderation_blocked": llm.Blocked, "content_policy_violation": llm.Blocked, "content_filter": llm.Blocked,
}

// classify goes by the code, then by the message where there is none, then by the status.
func (f fault) classify(code string, status int) llm.Kind {
	for _, detail := range f.Details {
		if kind, ok := codes[detail.Reason]; ok {
			return kind
		}
	}
	switch kind, ok := codes[code]; {
	case ok:
		return kind
	case f.Param == "model" && status < 500, status == 404 && transport.Mentions(f.Message, "model"):
		return llm.NoSuchModel
	case transport.Mentions(f.Message, "api key not valid", "api key expired"):
		return llm.Unauthorized
	case transport.Mentions(f.Message, "credits are depleted", "spending cap", "spend cap", "requires a billed"):
		return llm.NoCredit
	case status < 500 && transport.Mentions(f.Message, "safety system", "content policy"):
		return llm.Blocked
	}
	return transport.ByStatus(status)
}
