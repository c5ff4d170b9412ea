package main

import (
	"encoding/json"
	"errors"
	"fmt"
)

// estimate is what rsswatch whatif said of the 64-bit process.
type estimate struct {
	RSS, Private usage3 // the middle is absent where the content cannot decide
	Undecided    bool
}

// usage3 is one figure with its interval, in bytes.
type usage3 struct {
	Now, Low, High int64
	Best           *int64
}

// parseWhatIf reads one process out of the JSON of rsswatch whatif.
func parseWhatIf(b []byte) (estimate, error) {
	var doc struct {
		Schema    string
		Processes []struct {
			RSS     int64 `json:"rss_bytes"`
			Private int64 `json:"private_bytes"`
			Est     *struct {
				RSS         *int64 `json:"rss_bytes"`
				RSSLow      *int64 `json:"rss_low_bytes"`
				RSSHigh     *int64 `json:"rss_high_bytes"`
				Private     *int64 `json:"private_bytes"`
				PrivateLow  *int64 `json:"private_low_bytes"`
				PrivateHigh *int64 `json:"private_high_bytes"`
			} `json:"estimate"`
			Undecided bool
		}
	}
	if err := json.Unmarshal(b, &doc); err != nil {
		return estimate{}, fmt.Errorf("rsswatch whatif: %w", err)
	}
	if doc.Schema != "rsswatch-whatif/1" {
		return estimate{}, fmt.Errorf("rsswatch whatif: schema %q, want rsswatch-whatif/1", doc.Schema)
	}
	if len(doc.Processes) != 1 {
		return estimate{}, fmt.Errorf("rsswatch whatif: %d processes, want 1", len(doc.Processes))
	}
	p := doc.Processes[0]
	if p.Est == nil || p.Est.RSSLow == nil || p.Est.RSSHigh == nil || p.RSS <= 0 {
		return estimate{}, errors.New("rsswatch whatif: no estimate for the process")
	}
	e := estimate{RSS: usage3{Now: p.RSS, Low: *p.Est.RSSLow, High: *p.Est.RSSHigh, Best: p.Est.RSS}, Undecided: p.Undecided}
	if p.Est.PrivateLow != nil && p.Est.PrivateHigh != nil {
		e.Private = usage3{Now: p.Private, Low: *p.Est.PrivateLow, High: *p.Est.PrivateHigh, Best: p.Est.Private}
	}
	if e.RSS.Low > e.RSS.High {
		return estimate{}, fmt.Errorf("rsswatch whatif: the interval %d to %d is upside down", e.RSS.Low, e.RSS.High)
	}
	return e, nil
}
