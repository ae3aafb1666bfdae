// Package calc evaluates arithmetic that a model wrote: numbers, operators, a
// fixed list of functions, nothing else. It cannot loop, call out or allocate
// without bound.
package calc

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// MaxLength is how many characters an expression may have.
	MaxLength = 200

	maxNesting = 32
)

// Eval returns the value of an expression as it should be written: a whole number
// below 1e15 in full, anything else with twelve significant digits.
func Eval(expression string) (string, error) {
	if n := utf8.RuneCountInString(expression); n > MaxLength {
		return "", fmt.Errorf("the expression has %d characters, at most %d are allowed", n, MaxLength)
	}
	p := &parser{rest: normalise(expression)}
	x, err := p.sum()
	if err != nil {
		return "", err
	}
	if p.skip(); p.rest != "" {
		return "", fmt.Errorf("%q does not belong there", p.rest)
	}
	return format(x), nil
}

var signs = strings.NewReplacer("×", "*", "÷", "/", "−", "-", "**", "^")

// normalise writes every operator in one way and removes thousands separators. A comma may
// also separate a function's arguments, so that is done only where there are no letters.
func normalise(expression string) string {
	s := signs.Replace(expression)
	if strings.ContainsFunc(s, unicode.IsLetter) {
		return s
	}
	var b strings.Builder
	for i := range len(s) {
		if s[i] != ',' || i == 0 || !isDigit(s[i-1]) || countDigits(s[i+1:]) != 3 {
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

func format(x float64) string {
	switch {
	case x == 0:
		return "0" // not "-0"
	case x == math.Trunc(x) && math.Abs(x) < 1e15:
		return strconv.FormatFloat(x, 'f', 0, 64)
	default:
		return strconv.FormatFloat(x, 'g', 12, 64)
	}
}

// A parser reads by recursive descent, one method for each level of precedence.
type parser struct {
	rest    string
	nesting int
}

func (p *parser) skip() { p.rest = strings.TrimLeftFunc(p.rest, unicode.IsSpace) }

// take consumes the next character if it is one of those given.
func (p *parser) take(any string) (byte, bool) {
	p.skip()
	if p.rest == "" || strings.IndexByte(any, p.rest[0]) < 0 {
		return 0, false
	}
	c := p.rest[0]
	p.rest = p.rest[1:]
	return c, true
}

func (p *parser) sum() (float64, error) { return p.leftToRight("+-", p.product) }

func (p *parser) product() (float64, error) { return p.leftToRight("*/%", p.signed) }

func (p *parser) leftToRight(operators string, operand func() (float64, error)) (float64, error) {
	x, err := operand()
	for err == nil {
		op, ok := p.take(operators)
		if !ok {
			break
		}
		var y float64
		if y, err = operand(); err == nil {
			x, err = apply(op, x, y)
		}
	}
	return x, err
}

// signed binds looser than a power, so that -3^2 is -9.
func (p *parser) signed() (float64, error) {
	if sign, ok := p.take("+-"); ok {
		x, err := p.signed()
		if sign == '-' {
			x = -x
		}
		return x, err
	}
	return p.power()
}

// power binds to the right: 2^3^2 is 2^9.
func (p *parser) power() (float64, error) {
	x, err := p.atom()
	if err != nil {
		return 0, err
	}
	if _, ok := p.take("^"); !ok {
		return x, nil
	}
	y, err := p.signed()
	if err != nil {
		return 0, err
	}
	return apply('^', x, y)
}

func apply(op byte, x, y float64) (float64, error) {
	switch op {
	case '+':
		x += y
	case '-':
		x -= y
	case '*':
		x *= y
	case '^':
		x = math.Pow(x, y)
	default:
		if y == 0 {
			return 0, errors.New("division by zero")
		}
		if op == '/' {
			x /= y
		} else {
			x = math.Mod(x, y)
		}
	}
	return finite(x)
}

func finite(x float64) (float64, error) {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0, errors.New("the result is not a finite number")
	}
	return x, nil
}

func (p *parser) atom() (float64, error) {
	if _, ok := p.take("("); ok {
		args, err := p.arguments()
		if err == nil && len(args) != 1 {
			err = errors.New("a comma does not belong there")
		}
		if err != nil {
			return 0, err
		}
		return args[0], nil
	}
	p.skip()
	switch {
	case p.rest == "":
		return 0, errors.New("something is missing at the end")
	case isDigit(p.rest[0]) || p.rest[0] == '.':
		return p.number()
	}
	if name := p.word(); name != "" {
		return p.named(name)
	}
	return 0, fmt.Errorf("%q does not belong there", p.rest)
}

func (p *parser) number() (float64, error) {
	n := countDigits(p.rest)
	if strings.HasPrefix(p.rest[n:], ".") {
		n++
		n += countDigits(p.rest[n:])
	}
	n += exponent(p.rest[n:])
	text := p.rest[:n]
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not a number that fits", text)
	}
	p.rest = p.rest[n:]
	return x, nil
}

// exponent is the length of an exponent at the start of s.
func exponent(s string) int {
	if s == "" || s[0] != 'e' && s[0] != 'E' {
		return 0
	}
	n := 1
	if n < len(s) && (s[n] == '+' || s[n] == '-') {
		n++
	}
	digits := countDigits(s[n:])
	if digits == 0 {
		return 0
	}
	return n + digits
}

// word consumes a name: letters, digits and underscores.
func (p *parser) word() string {
	end := strings.IndexFunc(p.rest, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' })
	if end < 0 {
		end = len(p.rest)
	}
	name := p.rest[:end]
	p.rest = p.rest[end:]
	return name
}

func (p *parser) named(name string) (float64, error) {
	switch strings.ToLower(name) {
	case "pi":
		return math.Pi, nil
	case "e":
		return math.E, nil
	}
	f, known := functions[strings.ToLower(name)]
	if !known {
		return 0, fmt.Errorf("unknown name %q", name)
	}
	if _, ok := p.take("("); !ok {
		return 0, fmt.Errorf("%s needs its argument in parentheses", name)
	}
	args, err := p.arguments()
	if err != nil {
		return 0, err
	}
	if len(args) < f.least || len(args) > f.most {
		return 0, fmt.Errorf("%s does not take %d arguments", name, len(args))
	}
	x, err := f.value(args)
	if err != nil {
		return 0, err
	}
	return finite(x)
}

// arguments reads up to the closing parenthesis.
func (p *parser) arguments() ([]float64, error) {
	p.nesting++
	defer func() { p.nesting-- }()
	if p.nesting > maxNesting {
		return nil, fmt.Errorf("parentheses are nested deeper than %d", maxNesting)
	}
	var args []float64
	for {
		x, err := p.sum()
		if err != nil {
			return nil, err
		}
		args = append(args, x)
		switch c, _ := p.take(",)"); c {
		case ')':
			return args, nil
		case ',':
		default:
			return nil, errors.New("a closing parenthesis is missing")
		}
	}
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func countDigits(s string) int {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	return n
}

// A function takes between least and most arguments.
type function struct {
	least, most int
	value       func(args []float64) (float64, error)
}

var functions = map[string]function{
	"sqrt":  one(math.Sqrt),
	"abs":   one(math.Abs),
	"floor": one(math.Floor),
	"ceil":  one(math.Ceil),
	"ln":    one(math.Log),
	"log":   one(math.Log10),
	"log2":  one(math.Log2),
	"exp":   one(math.Exp),
	"sin":   one(math.Sin),
	"cos":   one(math.Cos),
	"tan":   one(math.Tan),
	"round": {1, 2, round},
	"pow":   {2, 2, func(args []float64) (float64, error) { return math.Pow(args[0], args[1]), nil }},
	"min":   {1, MaxLength, func(args []float64) (float64, error) { return slices.Min(args), nil }},
	"max":   {1, MaxLength, func(args []float64) (float64, error) { return slices.Max(args), nil }},
}

func one(f func(float64) float64) function {
	return function{1, 1, func(args []float64) (float64, error) { return f(args[0]), nil }}
}

// round rounds half away from zero, to a number of digits if one is given.
func round(args []float64) (float64, error) {
	if len(args) == 1 {
		return math.Round(args[0]), nil
	}
	digits := args[1]
	if digits != math.Trunc(digits) || math.Abs(digits) > 15 {
		return 0, errors.New("round takes between -15 and 15 digits")
	}
	scale := math.Pow(10, digits)
	return math.Round(args[0]*scale) / scale, nil
}
