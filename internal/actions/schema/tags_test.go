package schema

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// These are mistakes that vet and staticcheck would not let into a struct.
func TestMistakesInTags(t *testing.T) {
	for tag, want := range map[reflect.StructTag]string{
		`json`:                       `tag "json" has no value`,
		`json:a`:                     "tag json is not in quotes",
		`json:"a" doc:"A."`:          "is not exported",
		`json:"a,omitempy" doc:"A."`: `json option "omitempy" is neither omitempty nor omitzero`,
	} {
		field := reflect.StructField{Name: "a", PkgPath: "elsewhere", Type: reflect.TypeFor[string](), Tag: tag}
		if _, problems := fieldOf(field, nil); !strings.Contains(fmt.Sprint(problems), want) {
			t.Errorf("tag %s: %v, want %s", tag, problems, want)
		}
	}
}
