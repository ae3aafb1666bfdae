package consent

import (
	_ "embed"
	"encoding/json"
	"fmt"
)

// A Case is a request, with the actions that its words ask for. All others were not asked for: to confirm one of these is a mistake.
type Case struct {
	ID      string
	Request Request
	Asked   []int // numbers, from 1 on
}

//go:embed sample.json
var sample []byte

// Sample returns a dozen of the cases, in five languages: for a look at a model that was not measured. It is no measurement.
func Sample() []Case {
	var list []Case
	if err := json.Unmarshal(sample, &list); err != nil {
		panic(fmt.Errorf("read sample.json: %w", err)) // it is a part of the program
	}
	return list
}
