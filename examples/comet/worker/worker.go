// Package worker takes what users say and hands it to the hub as an event.
package worker

import (
	"context"
	"errors"
	"fmt"
	"html"
	"net"
	"net/http"
	"os"
	"time"
	"unicode/utf8"

	"wordsize/examples/comet/event"
)

// Serve answers POST /say with the form values from and text until ctx ends,
// which is no error. fifo is open for writing. It closes ln.
func Serve(ctx context.Context, ln net.Listener, fifo *os.File) error {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /say", func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, 64<<10)
		if status, err := say(fifo, r.PostFormValue("from"), r.PostFormValue("text")); err != nil {
			http.Error(w, err.Error(), status)
			return
		}
		w.WriteHeader(http.StatusAccepted)
	})
	srv := &http.Server{Handler: mux, ReadTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second}
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(ended)
		grace, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		_ = srv.Shutdown(grace)
	})
	err := srv.Serve(ln)
	if !stop() {
		<-ended
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// say hands a message to the hub. What users send is made harmless here, where
// the work is shared between processes.
func say(fifo *os.File, from, text string) (status int, err error) {
	switch {
	case text == "":
		return http.StatusBadRequest, errors.New("the form value text is missing")
	case !utf8.ValidString(from) || !utf8.ValidString(text):
		return http.StatusBadRequest, errors.New("the message is not UTF-8")
	}
	line, err := event.Encode(event.Message{From: html.EscapeString(from), Text: html.EscapeString(text)})
	if errors.Is(err, event.ErrTooLong) {
		return http.StatusRequestEntityTooLarge, err
	}
	if err != nil {
		return http.StatusInternalServerError, err
	}
	// A FIFO that stays full means that the hub does not read.
	_ = fifo.SetWriteDeadline(time.Now().Add(5 * time.Second))
	if _, err := fifo.Write(line); err != nil {
		return http.StatusServiceUnavailable, fmt.Errorf("hand the message to the hub: %w", err)
	}
	return 0, nil
}
