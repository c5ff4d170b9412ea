package main

import (
	"context"
	"errors"
	"io"
)

func runLive(ctx context.Context, c *collector, stdin io.Reader, stdout io.Writer) error {
	return errors.New("not yet")
}
