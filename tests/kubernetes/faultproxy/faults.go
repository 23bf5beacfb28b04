// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"net/http"
)

// Faults is what goes wrong at the moment. Zero values mean that nothing does.
type Faults struct {
	// Refuse closes every connection, open ones and new ones.
	Refuse bool `json:"refuse"`
	// WatchDelayMs holds back what watches deliver.
	WatchDelayMs int `json:"watchDelayMs"`
	// GoneFraction of new watches ends with 410: as the answer's status, or, with GoneInStream, as an ERROR event of a watch
	// that began well. GoneNext does so for that many of the next watches first.
	GoneFraction float64 `json:"goneFraction"`
	GoneNext     int     `json:"goneNext"`
	GoneInStream bool    `json:"goneInStream"`
	// BusyFraction of requests is answered with 429 and Retry-After: RetryAfter seconds.
	BusyFraction float64 `json:"busyFraction"`
	RetryAfter   int     `json:"retryAfter"`
	// GoawayEvery so many requests the connection is told to go away.
	GoawayEvery int `json:"goawayEvery"`
	// LoseAnswers of that many of the next writes of LoseResource (such as pods/binding; any when empty): the server carries
	// them out, the client sees its connection end.
	LoseAnswers  int    `json:"loseAnswers"`
	LoseResource string `json:"loseResource"`
	// LoseFraction loses that share of them.
	LoseFraction float64 `json:"loseFraction"`
}

func (p *Proxy) control() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/faults", func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		defer p.mu.Unlock()
		if r.Method == http.MethodPost {
			decoder := json.NewDecoder(r.Body)
			decoder.DisallowUnknownFields()
			if err := decoder.Decode(&p.faults); err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
			if p.faults.Refuse {
				p.closeConnections()
			}
		}
		_ = json.NewEncoder(w).Encode(p.faults)
	})
	mux.HandleFunc("/cut", func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		defer p.mu.Unlock()
		switch r.URL.Query().Get("what") {
		case "watches":
			for _, cancel := range p.watches {
				cancel()
			}
		case "connections":
			p.closeConnections()
		default:
			http.Error(w, "what=watches or what=connections", http.StatusBadRequest)
		}
	})
	mux.HandleFunc("/counters", func(w http.ResponseWriter, _ *http.Request) {
		p.mu.Lock()
		defer p.mu.Unlock()
		_ = json.NewEncoder(w).Encode(p.counters)
	})
	return mux
}

// closeConnections ends every connection of a client. Called with the lock held.
func (p *Proxy) closeConnections() {
	for conn := range p.connections {
		_ = conn.Close()
	}
}
