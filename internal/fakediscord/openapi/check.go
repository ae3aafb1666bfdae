package openapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/url"
	"slices"
	"strconv"
)

const (
	jsonType = "application/json"
	formType = "multipart/form-data"
)

// CheckRequest returns what is wrong with a request. The path is the escaped part after
// /api/v10, and query the part after the question mark.
func (d *Document) CheckRequest(method, path, query, contentType string, content []byte) error {
	op, vars, err := d.find(method, path)
	if err != nil {
		return err
	}
	if err := d.checkPath(op, vars); err != nil {
		return err
	}
	if err := d.checkQuery(op, query); err != nil {
		return err
	}
	return d.once(op.method+" "+op.template+" "+contentType, content, func() error { return d.checkBody(op, contentType, content) })
}

func (d *Document) checkPath(op *operation, vars map[string]string) error {
	for _, p := range op.parameters {
		if p.query {
			continue
		}
		err := d.once(p.schema, []byte(vars[p.name]), func() error { return d.checkText(p, vars[p.name]) })
		if err != nil {
			return err
		}
	}
	return nil
}

func (d *Document) checkQuery(op *operation, query string) error {
	values, err := url.ParseQuery(query)
	if err != nil {
		return fmt.Errorf("the query cannot be read: %w", err)
	}
	for _, p := range op.parameters {
		given, ok := values[p.name]
		if !p.query || !ok {
			if p.query && p.required {
				return fmt.Errorf("query: %s is missing", p.name)
			}
			continue
		}
		for _, text := range given {
			if err := d.checkText(p, text); err != nil {
				return err
			}
		}
	}
	for name := range values {
		known := slices.ContainsFunc(op.parameters, func(p parameter) bool { return p.query && p.name == name })
		if !known {
			return fmt.Errorf("query: the API has no %s here", name)
		}
	}
	return nil
}

// checkText validates a text of the URL against a schema, which may be that of a number,
// a boolean, or a list of such.
func (d *Document) checkText(p parameter, text string) error {
	candidates := []any{text, []any{text}}
	if scalar, ok := asScalar(text); ok {
		candidates = []any{scalar, text, []any{text}} // the first one gives the reason
	}
	var first error
	for _, value := range candidates {
		err := d.validate(p.schema, value)
		if err == nil {
			return nil
		}
		if first == nil {
			first = fmt.Errorf("%s = %q: %w", p.name, text, err)
		}
	}
	return first
}

func (d *Document) checkBody(op *operation, contentType string, content []byte) error {
	switch {
	case op.body == nil && len(content) > 0:
		return errors.New("there is a body, and the API takes none here")
	case op.body == nil:
		return nil
	case len(content) == 0 && op.body.required:
		return errors.New("the body is missing")
	case len(content) == 0:
		return nil
	}
	payload, files, err := payloadOf(op.body, contentType, content)
	if err != nil {
		return err
	}
	if op.body.json == "" {
		return nil // only files, which the document does not describe
	}
	value, err := decode(payload)
	if err != nil {
		return err
	}
	if err := d.validateStrictly(op.body.json, withNumbers(value)); err != nil {
		return err
	}
	return checkRules(op, value, files)
}

// payloadOf finds the JSON of a body, and counts the files beside it.
func payloadOf(b *body, contentType string, content []byte) (payload []byte, files int, err error) {
	kind, params, err := mime.ParseMediaType(contentType)
	switch {
	case err != nil:
		return nil, 0, fmt.Errorf("the content type %q cannot be read", contentType)
	case kind == jsonType && b.json != "":
		return content, 0, nil
	case kind != formType || !b.forms:
		return nil, 0, fmt.Errorf("the API takes no %s here", kind)
	}
	form := multipart.NewReader(bytes.NewReader(content), params["boundary"])
	for {
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, 0, fmt.Errorf("the form cannot be read: %w", err)
		}
		if part.FormName() != "payload_json" {
			files++
			continue
		}
		if payload, err = io.ReadAll(part); err != nil {
			return nil, 0, fmt.Errorf("the form cannot be read: %w", err)
		}
	}
	if payload == nil && b.json != "" {
		return nil, 0, errors.New("the form has no payload_json")
	}
	return payload, files, nil
}

// numbersInTexts are the properties that the document types as numbers although Discord
// uses strings: sets of permissions have more bits than JSON numbers carry safely.
var numbersInTexts = []string{"allow", "deny", "permissions", "default_member_permissions"}

// withNumbers turns such strings into numbers.
func withNumbers(value any) any {
	switch value := value.(type) {
	case object:
		out := object{}
		for key, v := range value {
			text, isText := v.(string)
			if _, err := strconv.ParseUint(text, 10, 64); isText && err == nil && slices.Contains(numbersInTexts, key) {
				v = json.Number(text)
			}
			out[key] = withNumbers(v)
		}
		return out
	case []any:
		out := make([]any, len(value))
		for i, v := range value {
			out[i] = withNumbers(v)
		}
		return out
	default:
		return value
	}
}

// CheckResponse returns what is wrong with a response. Server errors are not described, so
// they pass.
func (d *Document) CheckResponse(method, path string, status int, content []byte) error {
	if status >= 500 {
		return nil
	}
	op, _, err := d.find(method, path)
	if err != nil {
		return err
	}
	schema, described := op.responses[strconv.Itoa(status)]
	if !described {
		schema, described = op.responses[strconv.Itoa(status/100)+"XX"]
	}
	switch {
	case !described:
		return fmt.Errorf("the API never answers %d here", status)
	case schema == "" && len(content) > 0:
		return fmt.Errorf("the API answers %d without a body", status)
	case schema == "":
		return nil
	}
	return d.once(schema+" "+strconv.Itoa(status), content, func() error {
		value, err := decode(content)
		if err != nil {
			return err
		}
		if status >= 400 {
			value = withNumericCodes(value)
		}
		return d.validate(schema, value)
	})
}

// withNumericCodes corrects a mistake of the document: it types the code of a field's error
// as a number, but those are words such as BASE_TYPE_REQUIRED.
func withNumericCodes(value any) any {
	root, ok := value.(object)
	if !ok {
		return value
	}
	out := object{}
	for key, v := range root {
		list, _ := v.([]any)
		if key != "_errors" || list == nil {
			out[key] = withNumericCodes(v)
			continue
		}
		var mended []any
		for _, entry := range list {
			if e, isObject := entry.(object); isObject {
				if _, isWord := e["code"].(string); isWord {
					entry = object{"code": json.Number("0"), "message": e["message"]}
				}
			}
			mended = append(mended, entry)
		}
		out[key] = mended
	}
	return out
}
