//go:build !unix

package tools

import (
	"context"
	"errors"
	"io"
)

func execute(context.Context, string, string, []string, io.Writer, io.Writer) error {
	return errors.New("there is no shell on this system")
}

const nonBlocking = 0
