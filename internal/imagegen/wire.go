package imagegen

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"discoclaw/internal/llm"
	"discoclaw/internal/turn/attach"
)

// maxResponse bounds the body of a response: a picture is a third longer there.
const maxResponse = 64 << 20

// usage counts tokens.
type usage struct {
	Input  int `json:"input_tokens"`
	Output int `json:"output_tokens"`
}

// An openaiRequest is documented at https://platform.openai.com/docs/api-reference/images/create.
type openaiRequest struct {
	Model   string `json:"model"`
	Prompt  string `json:"prompt"`
	N       int    `json:"n"`
	Size    string `json:"size"`
	Quality string `json:"quality,omitempty"`
	// ResponseFormat is refused by gpt-image models, which always send data.
	ResponseFormat string `json:"response_format,omitempty"`
}

func (v vendor) openai(ctx context.Context, o Order) ([]byte, usage, error) {
	in := openaiRequest{Model: o.Model, Prompt: o.Prompt, N: 1, Size: o.Size, Quality: o.Quality}
	if o.row.Base64 {
		in.ResponseFormat = "b64_json"
	}
	var out struct {
		Data []struct {
			Data []byte `json:"b64_json"`
			URL  string `json:"url"`
		}
		Usage usage
	}
	if err := v.post(ctx, "/images/generations", "Authorization", "Bearer "+v.key, in, &out); err != nil {
		return nil, usage{}, err
	}
	switch {
	case len(out.Data) == 0 || len(out.Data[0].Data) == 0 && out.Data[0].URL == "":
		return nil, usage{}, noPicture("")
	case len(out.Data[0].Data) == 0: // an address may be anywhere, so it is not fetched
		return nil, usage{}, noPicture("the server sends an address instead of data")
	}
	return out.Data[0].Data, out.Usage, nil
}

// The requests of Gemini are documented at https://ai.google.dev/api/generate-content and
// https://ai.google.dev/gemini-api/docs/imagen.
type (
	content struct {
		Parts []part `json:"parts"`
	}
	part struct {
		Text    string `json:"text,omitempty"`
		Thought bool   `json:"thought,omitempty"`
		Inline  *blob  `json:"inlineData,omitempty"`
	}
	blob struct {
		Type string `json:"mimeType"`
		Data []byte `json:"data"`
	}
	generation struct {
		Modalities []string     `json:"responseModalities"`
		Image      *imageConfig `json:"imageConfig,omitempty"`
	}
	imageConfig struct {
		Ratio string `json:"aspectRatio"`
	}
	geminiRequest struct {
		Contents []content  `json:"contents"`
		Config   generation `json:"generationConfig"`
	}
	geminiResponse struct {
		Candidates []struct {
			Content content
			Reason  string `json:"finishReason"`
		}
		Feedback struct{ BlockReason string } `json:"promptFeedback"`
	}
)

func (v vendor) gemini(ctx context.Context, o Order) ([]byte, error) {
	in := geminiRequest{Contents: []content{{Parts: []part{{Text: o.Prompt}}}}, Config: generation{Modalities: []string{"TEXT", "IMAGE"}}}
	if o.Size != auto {
		in.Config.Image = &imageConfig{Ratio: o.Size}
	}
	var out geminiResponse
	if err := v.post(ctx, "/v1beta/models/"+o.Model+":generateContent", "X-Goog-Api-Key", v.key, in, &out); err != nil {
		return nil, err
	}
	reason := out.Feedback.BlockReason
	for _, c := range out.Candidates {
		for _, p := range c.Content.Parts {
			// Drafts that the model makes while it thinks are marked as thoughts.
			if p.Inline != nil && !p.Thought && strings.HasPrefix(p.Inline.Type, "image/") {
				return p.Inline.Data, nil
			}
		}
		if reason == "" && c.Reason != "STOP" {
			reason = c.Reason
		}
	}
	return nil, blocked(reason)
}

type imagenRequest struct {
	Instances  []map[string]string `json:"instances"`
	Parameters map[string]any      `json:"parameters"`
}

func (v vendor) imagen(ctx context.Context, o Order) ([]byte, error) {
	in := imagenRequest{
		Instances:  []map[string]string{{"prompt": o.Prompt}},
		Parameters: map[string]any{"sampleCount": 1, "aspectRatio": o.Size},
	}
	var out struct {
		Predictions []struct {
			Data   []byte `json:"bytesBase64Encoded"`
			Reason string `json:"raiFilteredReason"`
		}
	}
	if err := v.post(ctx, "/v1beta/models/"+o.Model+":predict", "X-Goog-Api-Key", v.key, in, &out); err != nil {
		return nil, err
	}
	if len(out.Predictions) == 0 {
		return nil, blocked("")
	}
	p := out.Predictions[0]
	if len(p.Data) == 0 {
		return nil, blocked(p.Reason)
	}
	return p.Data, nil
}

// blocked is the error of an answer without a picture: the vendor's reason, if it gives one.
func blocked(reason string) error {
	if reason == "" {
		return noPicture("")
	}
	return &llm.Error{Kind: llm.Blocked, Err: errors.New(reason)}
}

func noPicture(why string) error {
	if why == "" {
		why = "the answer has no picture in it"
	}
	return &llm.Error{Kind: llm.Refused, Err: errors.New(why)}
}

// post sends a request and decodes the response.
func (v vendor) post(ctx context.Context, path, header, value string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, v.base+path, bytes.NewReader(body))
	if err != nil {
		return &llm.Error{Kind: llm.Refused, Err: errors.New("the address cannot be used")} // err may hold a password
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(header, value)
	resp, err := v.transport.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }() // it is read already
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxResponse+1))
	switch {
	case err != nil:
		return &llm.Error{Kind: llm.Broken, Err: err}
	case len(text) > maxResponse:
		return &llm.Error{Kind: llm.Broken, Err: fmt.Errorf("the answer is longer than %d bytes", maxResponse)}
	}
	if err := json.Unmarshal(text, out); err != nil {
		return &llm.Error{Kind: llm.Broken, Err: errors.New("the answer is not in the form of a picture")} // err may quote it
	}
	return nil
}

const (
	maxBytes  = 25 << 20   // of a picture
	maxPoints = 50_000_000 // pixels of a picture, by its header
)

// A Picture is one that was made.
type Picture struct {
	Data   []byte
	Ending string  // of a file's name: png, jpg or webp
	USD    float64 // what it cost
	Priced bool    // that is known
}

// Endings are those of all pictures.
var Endings = []string{"png", "jpg", "webp"}

var endings = map[string]string{"image/png": "png", "image/jpeg": "jpg", "image/webp": "webp"}

// examine looks at the data of a picture, whatever the server calls it.
func examine(data []byte) (Picture, error) {
	if len(data) > maxBytes {
		return Picture{}, &llm.Error{Kind: llm.Broken, Err: fmt.Errorf("the picture has %d bytes, more than %d", len(data), maxBytes)}
	}
	media, width, height, err := attach.Measure(data)
	switch ending := endings[media]; {
	case err != nil || ending == "":
		return Picture{}, &llm.Error{Kind: llm.Broken, Err: errors.Join(errors.New("it is not a picture in PNG, JPEG or WebP"), err)}
	case width*height > maxPoints:
		return Picture{}, &llm.Error{Kind: llm.Broken, Err: fmt.Errorf("the picture has %d × %d pixels, which are too many", width, height)}
	default:
		return Picture{Data: data, Ending: ending}, nil
	}
}
