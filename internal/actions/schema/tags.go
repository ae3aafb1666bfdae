package schema

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

var knownTags = map[string]bool{
	"json": true, "doc": true, "alias": true, "enum": true,
	"min": true, "max": true, "default": true, "example": true,
}

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
		if !knownTags[key] {
			return nil, fmt.Errorf("unknown tag %q", key)
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
func wireName(tag string) (name string, required bool) {
	name, options, _ := strings.Cut(tag, ",")
	for option := range strings.SplitSeq(options, ",") {
		if option == "omitempty" || option == "omitzero" {
			return name, false
		}
	}
	return name, true
}

// bound reads the limit in tag key, nil when there is none.
func bound(tags map[string]string, key string) (*float64, error) {
	text, ok := tags[key]
	if !ok {
		return nil, nil
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
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
