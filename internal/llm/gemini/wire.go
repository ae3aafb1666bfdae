package gemini

import "encoding/json"

// A request is what the API takes. It knows more fields than these.
type request struct {
	System   *content  `json:"systemInstruction,omitempty"`
	Contents []content `json:"contents"`
	Tools    []tool    `json:"tools,omitempty"`
	Config   *config   `json:"generationConfig,omitempty"`
}

type content struct {
	Role  string `json:"role,omitempty"` // user or model
	Parts []part `json:"parts"`
}

type tool struct {
	Functions []function `json:"functionDeclarations"`
}

type function struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Schema      json.RawMessage `json:"parametersJsonSchema,omitempty"`
}

type config struct {
	MaxOutputTokens int `json:"maxOutputTokens"`
}

// A part is a piece of a message, in requests and in answers.
type part struct {
	Text      string    `json:"text,omitempty"`
	Thought   bool      `json:"thought,omitempty"`          // the text is not part of the answer
	Signature []byte    `json:"thoughtSignature,omitempty"` // goes back with the part that it came with
	Data      *blob     `json:"inlineData,omitempty"`
	Call      *call     `json:"functionCall,omitempty"`
	Response  *response `json:"functionResponse,omitempty"`
}

type blob struct {
	Type string `json:"mimeType"`
	Data []byte `json:"data"`
}

type call struct {
	ID   string          `json:"id,omitempty"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args,omitempty"` // an object
}

type response struct {
	ID       string            `json:"id,omitempty"`
	Name     string            `json:"name"`
	Response map[string]string `json:"response"` // "output" or "error"
}

// A chunk is an event of a stream.
type chunk struct {
	Candidates []struct {
		Content       content `json:"content"`
		FinishReason  string  `json:"finishReason"`
		FinishMessage string  `json:"finishMessage"`
	} `json:"candidates"`
	PromptFeedback *struct {
		BlockReason string `json:"blockReason"`
	} `json:"promptFeedback"`
	Usage *usage          `json:"usageMetadata"`
	Error json.RawMessage `json:"error"`
}

// usage counts tokens, from the start of the answer.
type usage struct {
	Prompt        int `json:"promptTokenCount"`
	ToolUsePrompt int `json:"toolUsePromptTokenCount"`
	Cached        int `json:"cachedContentTokenCount"` // of the prompt
	Candidates    int `json:"candidatesTokenCount"`
	Thoughts      int `json:"thoughtsTokenCount"`
}
