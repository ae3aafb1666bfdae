package responses

import "encoding/json"

// A request leaves how hard to think to the model.
type request struct {
	Model        string   `json:"model"`
	Instructions string   `json:"instructions,omitempty"`
	Input        []any    `json:"input"` // messages, calls, outputs, and reasoning as it came
	Tools        []tool   `json:"tools,omitempty"`
	Include      []string `json:"include,omitempty"`
	MaxOutput    int      `json:"max_output_tokens,omitempty"` // reasoning included
	Stream       bool     `json:"stream"`
	Store        bool     `json:"store"` // at the vendor's, which is the default there
}

type message struct {
	Type    string `json:"type"` // message
	Role    string `json:"role"`
	Content []part `json:"content"`
}

// A part is a piece of a message: input_text, input_image, input_file, or output_text in what the model said.
type part struct {
	Type     string `json:"type"`
	Text     string `json:"text,omitempty"`
	ImageURL string `json:"image_url,omitempty"`
	Detail   string `json:"detail,omitempty"` // of the image
	Filename string `json:"filename,omitempty"`
	FileData string `json:"file_data,omitempty"`
}

// A call is an item of requests and of answers.
type call struct {
	Type      string `json:"type"` // function_call
	CallID    string `json:"call_id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"` // JSON, in a text
}

type output struct {
	Type   string `json:"type"` // function_call_output
	CallID string `json:"call_id"`
	Output string `json:"output"`
}

type tool struct {
	Type        string          `json:"type"` // function
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      bool            `json:"strict"` // true is the default there, and wants schemas of a special kind
}

// An event is one of a stream. Most kinds of it have only some of the fields.
type event struct {
	Type        string          `json:"type"`
	OutputIndex int             `json:"output_index"`
	Delta       json.RawMessage `json:"delta"` // a text, where this package looks at it
	Refusal     string          `json:"refusal"`
	Item        json.RawMessage `json:"item"`
	Response    *response       `json:"response"`
	Error       json.RawMessage `json:"error"`
}

// A response is the state of the answer: at the end, all of it.
type response struct {
	Error             fault `json:"error"`
	IncompleteDetails struct {
		Reason string `json:"reason"`
	} `json:"incomplete_details"`
	Usage struct {
		Input        int `json:"input_tokens"`
		InputDetails struct {
			Cached int `json:"cached_tokens"`
		} `json:"input_tokens_details"`
		Output int `json:"output_tokens"` // reasoning included
	} `json:"usage"`
}

// A fault is the server's description of an error.
type fault struct {
	Code    any    `json:"code"` // a text or nil
	Type    string `json:"type"`
	Message string `json:"message"`
}

// A seal is the reasoning that came before a call, item by item, which the model wants back with it. It is an object, so
// that the adapters of other vendors, when a conversation changes its runtime, do not take it for their own.
type seal struct {
	BeforeText []json.RawMessage `json:"reasoning_before_text,omitempty"` // only of the first call
	BeforeCall []json.RawMessage `json:"reasoning_before_call,omitempty"`
}
