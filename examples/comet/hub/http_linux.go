package hub

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"wordsize/examples/comet/event"
)

// A problem is why a request was not understood.
type problem struct {
	status int
	text   string
}

func problemf(status int, format string, args ...any) *problem {
	return &problem{status, fmt.Sprintf(format, args...)}
}

// parse reads a request head, which ends with a blank line.
func (h *hub) parse(head []byte) (*http.Request, *problem) {
	h.text.Reset(head)
	h.requestText.Reset(&h.text)
	r, err := http.ReadRequest(h.requestText)
	switch {
	case err != nil:
		return nil, problemf(http.StatusBadRequest, "request %.80q: %v", head, err)
	case r.ContentLength != 0 || len(r.TransferEncoding) > 0:
		return nil, problemf(http.StatusBadRequest, "a request with a body: messages are posted to a worker")
	case r.Method != http.MethodGet:
		return nil, problemf(http.StatusMethodNotAllowed, "method %.20q: messages are posted to a worker", r.Method)
	}
	return r, nil
}

// parseAfter returns N of a poll's after=N.
func parseAfter(r *http.Request) (uint64, *problem) {
	if r.URL.Path != "/poll" {
		return 0, problemf(http.StatusNotFound, "path %.80q: want /poll?after=NUMBER or /stats", r.URL.Path)
	}
	number, ok := strings.CutPrefix(r.URL.RawQuery, "after=")
	n, err := strconv.ParseUint(number, 10, 64)
	if !ok || err != nil {
		return 0, problemf(http.StatusBadRequest, "query %.80q: want after=NUMBER", r.URL.RawQuery)
	}
	return n, nil
}

// response returns a whole response.
func response(status int, kind string, body []byte) []byte {
	head := fmt.Sprintf("HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %d\r\nCache-Control: no-store\r\n\r\n",
		status, http.StatusText(status), kind, len(body))
	return append([]byte(head), body...)
}

// batch returns the response with the messages after a number, as far as they
// are kept.
func (h *hub) batch(after uint64) []byte {
	b := event.Batch{Last: h.count, Messages: []event.Numbered{}}
	for _, m := range h.history {
		if m.N > after {
			b.Messages = append(b.Messages, m)
		}
	}
	return jsonResponse(b)
}

// Stats is the answer to GET /stats.
type Stats struct {
	Connections int    `json:"connections"` // that of this request is one of them
	Waiting     int    `json:"waiting"`
	Messages    uint64 `json:"messages"`
}

func (h *hub) stats() []byte {
	return jsonResponse(Stats{Connections: len(h.conns), Waiting: h.waiting, Messages: h.count})
}

func jsonResponse(v any) []byte {
	body, err := json.Marshal(v)
	if err != nil { // strings and numbers always can
		return response(http.StatusInternalServerError, "text/plain", []byte(err.Error()+"\n"))
	}
	return response(http.StatusOK, "application/json", append(body, '\n'))
}

// cutLines returns the complete lines of data without their ends, and the rest.
func cutLines(data []byte) (lines [][]byte, rest []byte) {
	for {
		line, after, ok := bytes.Cut(data, []byte("\n"))
		if !ok {
			return lines, data
		}
		lines = append(lines, line)
		data = after
	}
}
