// Package lenient decodes what Discord sends. A value of another type than expected costs as little as possible: an optional
// field stays empty, an element of an optional list is left out, and the rest is used. Each such place is logged once.
//
// Fields are optional if their tag says so:
//
//	Nick string `json:"nick" wire:"optional"`
//
// Others are needed. An object whose needed fields cannot be read is broken, and so is what needs that object: without an ID
// or a rule about permissions it could be taken for something else.
//
// Start with [Reader.Read].
package lenient

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"reflect"
	"sync"
)

// A Reader decodes JSON. It is safe for concurrent use.
type Reader struct {
	log *slog.Logger

	mu    sync.Mutex
	known map[place]bool // that were logged
}

// A place is a field of a kind of message, such as author.flags or embeds[].color.
type place struct{ kind, field string }

// New returns a Reader with a log.
func New(log *slog.Logger) *Reader { return &Reader{log: log, known: map[place]bool{}} }

// Read decodes data into v, which is a pointer to a struct or a list. What was left out is logged, once for each field of a
// kind, as are broken elements of the list. The error is that of a needed field, or of data that is no JSON.
func (r *Reader) Read(ctx context.Context, kind string, data []byte, v any) error {
	first := json.Unmarshal(data, v)
	if first == nil {
		return nil
	}
	if !json.Valid(data) {
		return first
	}
	// Fields after the first odd one may be missing, so all are read anew.
	fresh := reflect.New(reflect.TypeOf(v).Elem())
	d := decoder{odd: func(field string, data []byte) { r.note(ctx, place{kind, field}, data) }}
	if err := d.value(data, fresh.Elem(), ""); err != nil {
		return err
	}
	reflect.ValueOf(v).Elem().Set(fresh.Elem())
	return nil
}

// note logs a field that was left out. Its value stays out of the log: people may have written it.
func (r *Reader) note(ctx context.Context, p place, data []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known[p] {
		return
	}
	r.known[p] = true
	r.log.WarnContext(ctx, "a field from Discord has an unexpected type, so it is left out", "kind", p.kind, "field", p.field, "got", typeOf(data))
}

// typeOf names the type of a JSON value.
func typeOf(data []byte) string {
	switch bytes.TrimSpace(data)[0] {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "bool"
	case 'n':
		return "null"
	}
	return "number"
}

// A brokenError names the needed field that cannot be read.
type brokenError struct{ field, got string }

func (e brokenError) Error() string {
	return fmt.Sprintf("%s has an unexpected type, which is %s", cmp.Or(e.field, "the whole"), e.got)
}
