package calc

import (
	"errors"
	"math"
	"slices"
)

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
