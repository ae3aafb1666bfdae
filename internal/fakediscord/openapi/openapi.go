// Package openapi validates REST traffic against Discord's own description of its API,
// an OpenAPI document. It is for tests only.
//
// Load reads the document; CheckRequest and CheckResponse return what is wrong with one
// message in one sentence, or nil. Request bodies are checked strictly: a property that
// the document does not know is refused, because Discord would ignore it silently. Some
// rules that Discord enforces and the document does not state are in rules.go.
package openapi

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// A Document is Discord's description of its API. It is safe for concurrent use.
type Document struct {
	operations []operation

	mu       sync.Mutex // the compiler is not safe for concurrent use
	compiler *jsonschema.Compiler
	compiled map[string]*jsonschema.Schema // by location

	passed sync.Map // checksums of what was checked and right
}

// once checks content, unless the same content has passed the same check. Hundreds of tests begin with
// the same exchanges.
func (d *Document) once(name string, content []byte, check func() error) error {
	key := sha256.Sum256(append([]byte(name+"\n"), content...))
	if _, passed := d.passed.Load(key); passed {
		return nil
	}
	err := check()
	if err == nil {
		d.passed.Store(key, nil)
	}
	return err
}

// An operation is one method on one path.
type operation struct {
	method     string
	template   string   // "/channels/{channel_id}"
	parts      []string // of the template
	parameters []parameter
	body       *body
	responses  map[string]string // location of the schema by status, empty for none
}

type parameter struct {
	name     string
	query    bool // else in the path
	required bool
	schema   string // its location
}

type body struct {
	required bool
	json     string // location of the schema of the JSON, empty if there are only files
	forms    bool   // files are allowed
}

// base is the made-up address of the document, for references into it.
const base = "mem:///openapi.json"

// Load reads the document. Schemas are compiled when they are first needed.
func Load(path string) (*Document, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read Discord's API description: %w", err)
	}
	defer file.Close()
	parsed, err := jsonschema.UnmarshalJSON(file)
	if err != nil {
		return nil, fmt.Errorf("read Discord's API description in %s: %w", path, err)
	}
	amend(parsed)
	d := &Document{compiler: jsonschema.NewCompiler(), compiled: map[string]*jsonschema.Schema{}}
	d.compiler.DefaultDraft(jsonschema.Draft2020)
	d.compiler.AssertFormat()
	if err := d.compiler.AddResource(base, parsed); err != nil {
		return nil, fmt.Errorf("read Discord's API description in %s: %w", path, err)
	}
	if d.operations, err = readOperations(parsed); err != nil {
		return nil, fmt.Errorf("read Discord's API description in %s: %w", path, err)
	}
	return d, nil
}

// find returns the operation whose template is closest to an escaped path, with
// the values of its variables.
func (d *Document) find(method, path string) (*operation, map[string]string, error) {
	parts := strings.Split(path, "/")
	for i, p := range parts {
		plain, err := url.PathUnescape(p)
		if err != nil {
			return nil, nil, fmt.Errorf("the path has a bad escape in %q", p)
		}
		parts[i] = plain
	}
	var found *operation
	var vars map[string]string
	best, otherMethods := -1, []string{}
	for i := range d.operations {
		op := &d.operations[i]
		values, exact, ok := op.match(parts)
		switch {
		case ok && op.method != method:
			otherMethods = append(otherMethods, op.method)
		case ok && exact > best:
			found, vars, best = op, values, exact
		}
	}
	switch {
	case found != nil:
		return found, vars, nil
	case len(otherMethods) > 0:
		return nil, nil, fmt.Errorf("the API has no %s here, only %s", method, strings.Join(otherMethods, ", "))
	default:
		return nil, nil, errors.New("the API has no such path")
	}
}

// Parameters are the names of the query parameters that a request may have.
func (d *Document) Parameters(method, path string) (names []string, err error) {
	op, _, err := d.find(method, path)
	if err != nil {
		return nil, err
	}
	for _, p := range op.parameters {
		if p.query {
			names = append(names, p.name)
		}
	}
	return names, nil
}

func (op *operation) match(parts []string) (vars map[string]string, exact int, ok bool) {
	if len(parts) != len(op.parts) {
		return nil, 0, false
	}
	vars = map[string]string{}
	for i, p := range op.parts {
		switch {
		case strings.HasPrefix(p, "{"):
			vars[strings.Trim(p, "{}")] = parts[i]
		case p == parts[i]:
			exact++
		default:
			return nil, 0, false
		}
	}
	return vars, exact, true
}

// validate validates a value against the schema at a location.
func (d *Document) validate(location string, value any) error {
	schema, err := d.schema(location, false)
	if err != nil {
		return err
	}
	return plain(schema.Validate(value))
}

// validateStrictly also refuses properties that the schema does not name. It validates
// twice, because a schema that fails knows none of its properties.
func (d *Document) validateStrictly(location string, value any) error {
	if err := d.validate(location, value); err != nil {
		return err
	}
	schema, err := d.schema(location, true)
	if err != nil {
		return err
	}
	var invalid *jsonschema.ValidationError
	if errors.As(schema.Validate(value), &invalid) {
		var unknown []string
		for _, leaf := range leaves(invalid.DetailedOutput()) {
			unknown = append(unknown, strings.TrimPrefix(leaf.InstanceLocation, "/"))
		}
		return fmt.Errorf("the API does not know %s here", strings.Join(unknown, ", "))
	}
	return nil
}

func (d *Document) schema(location string, strict bool) (*jsonschema.Schema, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if strict {
		// A new schema that refers to the real one and closes it.
		wrapper := "mem:///strict/" + url.PathEscape(location)
		if _, known := d.compiled[wrapper]; !known {
			closed := map[string]any{"$ref": location, "unevaluatedProperties": false}
			if err := d.compiler.AddResource(wrapper, closed); err != nil {
				return nil, fmt.Errorf("prepare the schema at %s: %w", location, err)
			}
		}
		location = wrapper
	}
	if s := d.compiled[location]; s != nil {
		return s, nil
	}
	s, err := d.compiler.Compile(location)
	if err != nil {
		return nil, fmt.Errorf("compile the schema at %s: %w", location, err)
	}
	d.compiled[location] = s
	return s, nil
}

// plain turns a validation error into one line that names the place and the problem.
func plain(err error) error {
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return err
	}
	const most = 8 // a union has a complaint for each of its members
	var lines []string
	for _, leaf := range leaves(invalid.DetailedOutput()) {
		line := leaf.Error.String()
		if leaf.InstanceLocation != "" {
			line = leaf.InstanceLocation + ": " + line
		}
		if !slices.Contains(lines, line) && len(lines) < most {
			lines = append(lines, line)
		}
	}
	return errors.New(strings.Join(lines, "; "))
}

// leaves are the complaints that have no finer ones below them.
func leaves(unit *jsonschema.OutputUnit) []jsonschema.OutputUnit {
	if len(unit.Errors) == 0 {
		return []jsonschema.OutputUnit{*unit}
	}
	var all []jsonschema.OutputUnit
	for i := range unit.Errors {
		all = append(all, leaves(&unit.Errors[i])...)
	}
	return all
}

// decode reads JSON the way schemas want it, with numbers kept exactly.
func decode(data []byte) (any, error) {
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(string(data)))
	if err != nil {
		return nil, fmt.Errorf("the body is not JSON: %w", err)
	}
	return value, nil
}

// asScalar reads a text as a number or a boolean.
func asScalar(text string) (any, bool) {
	switch text {
	case "true":
		return true, true
	case "false":
		return false, true
	}
	var n json.Number
	if err := json.Unmarshal([]byte(text), &n); err != nil {
		return nil, false
	}
	return n, true
}
