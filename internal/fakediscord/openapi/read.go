package openapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// The document as it was parsed: objects are map[string]any.
type object = map[string]any

// amend adds the type of a forward's reference, which the document lacks although it has the snapshots.
// https://discord.com/developers/docs/resources/message#message-reference-types
func amend(parsed any) {
	root, _ := parsed.(object)
	components, _ := root["components"].(object)
	schemas, _ := components["schemas"].(object)
	if kind, ok := schemas["MessageReferenceType"].(object); ok {
		known, _ := kind["oneOf"].([]any)
		kind["oneOf"] = append(known, object{"title": "FORWARD", "const": json.Number("1")})
	}
}

// readOperations lists the operations of the document. Of schemas it keeps only the
// locations.
func readOperations(parsed any) ([]operation, error) {
	root, _ := parsed.(object)
	paths, _ := root["paths"].(object)
	if len(paths) == 0 {
		return nil, errors.New("there are no paths in it")
	}
	var all []operation
	for _, template := range sortedKeys(paths) {
		item, _ := paths[template].(object)
		at := location{base + "#/paths"}.at(template)
		shared := readParameters(at, item)
		for _, method := range sortedKeys(item) {
			op, isOperation := item[method].(object)
			if !isOperation {
				continue // shared parameters, or a text
			}
			here := at.at(method)
			all = append(all, operation{
				method: strings.ToUpper(method), template: template, parts: strings.Split(template, "/"),
				parameters: append(slices.Clone(shared), readParameters(here, op)...),
				body:       readBody(here, op),
				responses:  readResponses(here, op),
			})
		}
	}
	return all, nil
}

func readParameters(at location, item object) []parameter {
	list, _ := item["parameters"].([]any)
	var all []parameter
	for i, entry := range list {
		p, _ := entry.(object)
		name, _ := p["name"].(string)
		required, _ := p["required"].(bool)
		all = append(all, parameter{
			name: name, query: p["in"] == "query", required: required,
			schema: at.at("parameters").at(fmt.Sprint(i)).at("schema").s,
		})
	}
	return all
}

func readBody(at location, op object) *body {
	described, ok := op["requestBody"].(object)
	if !ok {
		return nil
	}
	content, _ := described["content"].(object)
	b := &body{}
	b.required, _ = described["required"].(bool)
	if _, ok := content[jsonType]; ok {
		b.json = at.at("requestBody").at("content").at(jsonType).at("schema").s
	}
	_, b.forms = content[formType]
	return b
}

// readResponses follows the references to shared responses, the only references of this
// kind.
func readResponses(at location, op object) map[string]string {
	described, _ := op["responses"].(object)
	all := map[string]string{}
	for status, entry := range described {
		response, _ := entry.(object)
		where := at.at("responses").at(status)
		if ref, ok := response["$ref"].(string); ok {
			all[status] = base + ref + "/content/application~1json/schema"
			continue
		}
		content, _ := response["content"].(object)
		all[status] = ""
		if _, ok := content[jsonType]; ok {
			all[status] = where.at("content").at(jsonType).at("schema").s
		}
	}
	return all
}

// A location is the address of a part of the document.
type location struct{ s string }

// at goes down one step. A JSON pointer in a URL is escaped twice: for the pointer and for
// the URL.
func (l location) at(key string) location {
	return location{l.s + "/" + strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D", "%", "%25").Replace(key)}
}

func sortedKeys(o object) []string {
	var keys []string
	for key := range o {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
