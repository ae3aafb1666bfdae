package schema

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

var knownTags = []string{"json", "doc", "alias", "enum", "min", "max", "default", "example", "rare", "word"}

// readTags splits a struct tag into its keys. Unlike reflect.StructTag it refuses
// a key it does not know, because a misspelled tag would otherwise be ignored.
func readTags(tag reflect.StructTag) (map[string]string, error) {
	tags := map[string]string{}
	rest := strings.TrimSpace(string(tag))
	for rest != "" {
		key, after, ok := strings.Cut(rest, ":")
		if !ok {
			return nil, fmt.Errorf("tag %q has no value", rest)
		}
		if !slices.Contains(knownTags, key) {
			return nil, fmt.Errorf("unknown tag %q; there are %s", key, strings.Join(knownTags, ", "))
		}
		quoted, err := strconv.QuotedPrefix(after)
		if err != nil {
			return nil, fmt.Errorf("tag %s is not in quotes", key)
		}
		value, err := strconv.Unquote(quoted)
		if err != nil {
			return nil, fmt.Errorf("tag %s: %w", key, err)
		}
		tags[key] = value
		rest = strings.TrimSpace(after[len(quoted):])
	}
	return tags, nil
}

// wireName reads a json tag: the name, and whether the field must be present.
func wireName(tag string) (name string, required bool, err error) {
	name, options, _ := strings.Cut(tag, ",")
	if name == "" || name == "-" {
		return name, true, errors.New("has no json name")
	}
	switch options {
	case "":
		return name, true, nil
	case "omitempty", "omitzero":
		return name, false, nil
	}
	return name, true, fmt.Errorf("json option %q is neither omitempty nor omitzero", options)
}

// bound reads the limit in tag key, nil when there is none.
func bound(tags map[string]string, key string) (*float64, error) {
	text, ok := tags[key]
	if !ok {
		return nil, nil
	}
	n, ok := decimal(text)
	if !ok {
		return nil, fmt.Errorf("%s: %q is not a number", key, text)
	}
	return &n, nil
}

func commaList(text string) []string {
	var items []string
	for item := range strings.SplitSeq(text, ",") {
		if item = strings.TrimSpace(item); item != "" {
			items = append(items, item)
		}
	}
	return items
}
