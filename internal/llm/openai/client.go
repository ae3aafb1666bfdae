package openai

import (
	"bytes"
	"io"
	"net/http"

	"discoclaw/internal/llm/door"
)

// A client is how the library reaches the server. It lets only answers through.
type client struct{ door *door.Door }

// Do sends a request. The response it returns is one with an answer in it.
func (c client) Do(req *http.Request) (*http.Response, error) {
	if err := convertFiles(req); err != nil {
		return nil, err
	}
	resp, err := c.door.Do(req)
	if err != nil {
		return nil, err
	}
	resp.Body = &body{raw: resp.Body, door: c.door}
	return resp, nil
}

// convertFiles gives the files in a request their proper form.
func convertFiles(req *http.Request) error {
	if req.Body == nil {
		return nil
	}
	text, err := io.ReadAll(req.Body) // a buffer of the library's
	if err != nil {
		return err
	}
	if bytes.Contains(text, []byte(fileMarker)) {
		if text, err = withFiles(text); err != nil {
			return err
		}
	}
	req.Body, req.ContentLength, req.GetBody = io.NopCloser(bytes.NewReader(text)), int64(len(text)), nil
	return nil
}
