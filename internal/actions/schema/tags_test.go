package schema

import (
	"reflect"
	"strings"
	"testing"
)

// These are mistakes that go vet would not let into a struct of a test.
func TestMistakesInTags(t *testing.T) {
	for tag, want := range map[reflect.StructTag]string{
		`json`:              `tag "json" has no value`,
		`json:a`:            "tag json is not in quotes",
		`json:"a" doc:"A."`: "is not exported",
	} {
		field := reflect.StructField{Name: "a", PkgPath: "elsewhere", Type: reflect.TypeFor[string](), Tag: tag}
		if _, err := fieldOf(field, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("tag %s: error %v, want %s", tag, err, want)
		}
	}
}
