package lenient_test

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/discord/lenient"
)

type person struct {
	ID   string    `json:"id"`
	Name string    `json:"name" wire:"optional"`
	Age  *int      `json:"age,omitempty" wire:"optional"`
	Born time.Time `json:"born" wire:"optional"`
}

type team struct {
	person
	Lead    *person  `json:"lead"`
	Members []person `json:"members" wire:"optional"`
	Rules   []string `json:"rules"`
	Lists   [][]int  `json:"lists" wire:"optional"`
}

func TestRead(t *testing.T) {
	t.Parallel()
	five := 5
	for _, tt := range []struct {
		name, in string
		want     team
		broken   string   // the error
		odd      []string // the fields that are left out
	}{
		{"as expected", `{"id":"1","name":"x","lead":{"id":"2","age":5},"members":[{"id":"3"}],"rules":["r"]}`,
			team{person: person{ID: "1", Name: "x"}, Lead: &person{ID: "2", Age: &five}, Members: []person{{ID: "3"}}, Rules: []string{"r"}}, "", nil},
		{"an odd field, and one after it", `{"name":7,"id":"1","rules":["r"]}`,
			team{person: person{ID: "1"}, Rules: []string{"r"}}, "", []string{"name"}},
		{"several", `{"id":"1","name":[],"lead":{"id":"2","name":{},"age":"old","born":"yesterday"},"rules":null}`,
			team{person: person{ID: "1"}, Lead: &person{ID: "2"}}, "", []string{"lead.age", "lead.born", "lead.name", "name"}},
		{"a broken element", `{"id":"1","members":[{"id":"3"},{"id":4},"five",{"id":"6","name":7}]}`,
			team{person: person{ID: "1"}, Members: []person{{ID: "3"}, {ID: "6"}}}, "", []string{"members[]", "members[].name"}},
		{"an odd list", `{"id":"1","members":{"id":"3"}}`, team{person: person{ID: "1"}}, "", []string{"members"}},
		{"lists of lists", `{"id":"1","lists":[[1,"2",3],4,[5]]}`, team{person: person{ID: "1"}, Lists: [][]int{{1, 3}, {5}}}, "", []string{"lists[]", "lists[][]"}},
		{"a needed field", `{"id":1,"name":"x"}`, team{}, "id has an unexpected type, which is number", nil},
		{"a needed object", `{"id":"1","lead":"2"}`, team{}, "lead has an unexpected type, which is string", nil},
		{"a needed field of a needed object", `{"id":"1","lead":{"id":true}}`, team{}, "lead.id has an unexpected type, which is bool", nil},
		{"an element of a needed list", `{"id":"1","rules":["r",2]}`, team{}, "rules[] has an unexpected type, which is number", nil},
		{"another type", `[1]`, team{}, "the whole has an unexpected type, which is array", nil},
		{"no JSON", `<html>`, team{}, "invalid character '<' looking for beginning of value", nil},
		{"nothing", ``, team{}, "unexpected end of JSON input", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var log strings.Builder
			r := lenient.New(slog.New(slog.NewTextHandler(&log, nil)))
			for range 2 { // the second time, nothing is logged
				var got team
				err := r.Read(t.Context(), "TEST", []byte(tt.in), &got)
				if tt.broken != "" {
					if err == nil || err.Error() != tt.broken {
						t.Errorf("error %v, want %s", err, tt.broken)
					}
					continue
				}
				if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(team{})); err != nil || diff != "" {
					t.Errorf("%v (-want +got):\n%s", err, diff)
				}
			}
			text := log.String()
			if strings.Count(text, "\n") != len(tt.odd) || strings.Contains(text, "yesterday") {
				t.Errorf("log:\n%s", text)
			}
			for _, field := range tt.odd {
				if strings.Count(text, "kind=TEST field="+field+" ") != 1 {
					t.Errorf("%s is not in the log:\n%s", field, text)
				}
			}
		})
	}
}

func TestAListIsReadWithoutItsBrokenElements(t *testing.T) {
	t.Parallel()
	r := lenient.New(slog.New(slog.DiscardHandler))
	var got []person
	if err := r.Read(t.Context(), "TEST", []byte(`[{"id":"1"},{"id":2},null,{"id":"3"}]`), &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]person{{ID: "1"}, {}, {ID: "3"}}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
