// Package event is what the workers hand to the process that holds the
// connections: a line of JSON for each message, short enough that the kernel
// writes it into a FIFO in one piece.
package event

import (
	"encoding/json"
	"errors"
	"fmt"
)

// MaxBytes is PIPE_BUF of Linux, see pipe(7): a longer line might be torn.
const MaxBytes = 4096

// ErrTooLong is the reason for a message that does not fit into an event.
var ErrTooLong = fmt.Errorf("message is longer than %d bytes as JSON", MaxBytes)

// A Message is what one user says to all.
type Message struct {
	From string `json:"from"`
	Text string `json:"text"`
}

// A Numbered message is one that was delivered; numbers start with 1.
type Numbered struct {
	N uint64 `json:"n"`
	Message
}

// A Batch is the answer to a poll: the messages after the one that the client
// knew, and the number to ask with next. A poll that ran out of time has none.
type Batch struct {
	Last     uint64     `json:"last"`
	Messages []Numbered `json:"messages"`
}

// Encode returns a message as a line.
func Encode(m Message) ([]byte, error) {
	line, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	if len(line)+1 > MaxBytes {
		return nil, ErrTooLong
	}
	return append(line, '\n'), nil
}

// Decode reads a line without its end.
func Decode(line []byte) (m Message, err error) {
	if err := json.Unmarshal(line, &m); err != nil {
		return m, fmt.Errorf("event %.60q: %w", line, err)
	}
	if m.Text == "" {
		return m, errors.New("event without a text")
	}
	return m, nil
}
