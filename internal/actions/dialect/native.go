package dialect

import (
	"encoding/json"
	"fmt"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
)

const nativeDialect = "native"

// A Call is a function call with which a model asks for an action, beside its text. The runtime finds it, so that
// native is a dialect without a Pass.
type Call struct {
	ID    string // empty if the runtime has answered it
	Name  string
	Input json.RawMessage // as the model wrote it
}

// AddCalls adds what function calls ask for, in their order and behind what the text asks for. What is asked for already, in the text or by
// another call, is not added again; the request then answers that call as well.
func (p *Parsed) AddCalls(calls []Call) {
	known := map[string]int{} // what is asked for, to its index
	for i, req := range p.Requests {
		known[content(req)] = i
	}
	for _, c := range calls {
		p.Fenced, p.Shown = false, false // the reply asks for more than stands in code
		req, err := actions.Called(c.Name, c.Input)
		if err != nil {
			p.Malformed = append(p.Malformed, actions.Malformed{Flaw: actions.NotJSON,
				Detail: fmt.Sprintf("%s: %v", chat.Clip(chat.OneLine(c.Name), 60), err), Call: c.ID})
			continue
		}
		i, again := known[content(req)]
		if !again {
			i = len(p.Requests)
			known[content(req)] = i
			req.Dialect = nativeDialect
			p.Requests = append(p.Requests, req)
		}
		asked := &p.Requests[i]
		asked.Quiet, asked.Settled = false, false // a call waits for its result, whatever else asks for it
		if c.ID != "" {
			asked.Calls = append(asked.Calls, c.ID)
		}
	}
}
