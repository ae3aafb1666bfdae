package door

import "encoding/json"

// Object returns the input of a call as the object that it must be in APIs that take no text for it: they refuse a
// conversation with any other. What the model wrote instead is still there for it to see, and the result says what
// was wrong.
func Object(input json.RawMessage) json.RawMessage {
	var fields map[string]json.RawMessage
	switch {
	case json.Unmarshal(input, &fields) == nil && fields != nil:
		return input
	case len(input) == 0:
		return json.RawMessage("{}")
	}
	text, _ := json.Marshal(map[string]string{"malformed": string(input)}) // a text always can be encoded
	return text
}
