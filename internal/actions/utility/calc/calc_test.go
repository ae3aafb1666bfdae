package calc

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

func TestVectors(t *testing.T) {
	raw, err := os.ReadFile("testdata/calculate.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Expression string
		Result     string
		Error      bool
	}
	if err := json.Unmarshal(raw, &cases); err != nil {
		t.Fatal(err)
	}
	for _, tt := range cases {
		got, err := Eval(tt.Expression)
		if got != tt.Result || (err != nil) != tt.Error {
			t.Errorf("Eval(%q) = %q, %v; want %q, error %v", tt.Expression, got, err, tt.Result, tt.Error)
		}
	}
}

func TestEval(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"exponent may be negative", "2^-1", "0.5"},
		{"sign before a parenthesis", "-(2+3)", "-5"},
		{"two signs", "5--2", "7"},
		{"names in capitals", "SQRT(16) + PI - pi", "4"},
		{"number without a leading zero", ".5 + 5.", "5.5"},
		{"several thousands marks", "1,250,000 / 2", "625000"},
		{"thousands mark inside parentheses", "(1,000)", "1000"},
		{"fraction of a large number", "1e15 + 0.5", "1e+15"},
		{"power function", "pow(2, 0.5)^2", "2"},
		{"other white space", "1\u00a0+\t2", "3"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, err := Eval(tt.in); err != nil || got != tt.want {
				t.Errorf("Eval(%q) = %q, %v; want %q", tt.in, got, err, tt.want)
			}
		})
	}
}

func TestErrorsSayWhatIsWrong(t *testing.T) {
	for in, want := range map[string]string{
		"1/0":                                   "division by zero",
		"2 +":                                   "something is missing at the end",
		"(2":                                    "a closing parenthesis is missing",
		"2 3":                                   `"3" does not belong there`,
		"1,25":                                  `",25" does not belong there`,
		"(1,2)":                                 "a comma does not belong there",
		"hello":                                 `unknown name "hello"`,
		"sqrt 4":                                "sqrt needs its argument in parentheses",
		"sqrt(1,2)":                             "sqrt does not take 2 arguments",
		"round(1, 99)":                          "round takes between -15 and 15 digits",
		"1e999":                                 `"1e999" is not a number that fits`,
		"10^999":                                "the result is not a finite number",
		strings.Repeat("(", 33):                 "parentheses are nested deeper than 32",
		strings.Repeat("1", 201):                "the expression has 201 characters, at most 200 are allowed",
		strings.Repeat("-", 199) + "x":          `unknown name "x"`,
		"1 + \xff":                              `"\xff" does not belong there`,
		"9 ^ " + strings.Repeat("9^", 90) + "9": "the result is not a finite number",
	} {
		if _, err := Eval(in); err == nil || err.Error() != want {
			t.Errorf("Eval(%q): error %v, want %s", in, err, want)
		}
	}
}

func FuzzEval(f *testing.F) {
	f.Add("round(2 * (3 + pi), 2) % -7 ^ 2")
	f.Fuzz(func(t *testing.T, in string) {
		out, err := Eval(in)
		if (out == "") == (err == nil) {
			t.Errorf("Eval(%q) = %q, %v", in, out, err)
		}
	})
}
