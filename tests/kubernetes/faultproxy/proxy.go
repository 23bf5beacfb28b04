// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"sync"
	"time"
)

// Binding is one request to bind a pod that the proxy passed on.
type Binding struct {
	Namespace string    `json:"namespace"`
	Pod       string    `json:"pod"`
	Code      int       `json:"code"` // 0 while unanswered
	At        time.Time `json:"at"`
	Lost      bool      `json:"lost"` // the client did not get the answer
}

// Counters is what passed so far.
type Counters struct {
	Requests    map[string]map[string]int `json:"requests"` // "verb resource" -> status, or "lost", "unreachable"
	Bindings    []Binding                 `json:"bindings"`
	Connections int                       `json:"connections"`
	Goaways     int                       `json:"goaways"`
	Gone        int                       `json:"gone"`
	Busy        int                       `json:"busy"`
	Lost        int                       `json:"lost"`
}

// Proxy passes requests on and does what its faults say. Safe for use by many goroutines.
type Proxy struct {
	upstream  *url.URL
	transport *http.Transport

	mu          sync.Mutex
	faults      Faults
	counters    Counters
	random      *rand.Rand
	served      int
	connections map[net.Conn]bool
	watches     map[int]context.CancelFunc
	nextWatch   int
}

type connKey struct{}

func newProxy(upstream, caFile string, seed uint64) (*Proxy, error) {
	to, err := url.Parse(upstream)
	if err != nil {
		return nil, err
	}
	ca, err := os.ReadFile(caFile)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(ca) {
		return nil, fmt.Errorf("no certificate in %s", caFile)
	}
	return &Proxy{
		upstream: to,
		transport: &http.Transport{
			TLSClientConfig:    &tls.Config{RootCAs: pool},
			ForceAttemptHTTP2:  true,
			DisableCompression: true, // the client's own Accept-Encoding passes through
		},
		counters:    Counters{Requests: map[string]map[string]int{}},
		random:      rand.New(rand.NewPCG(seed, 0)),
		connections: map[net.Conn]bool{},
		watches:     map[int]context.CancelFunc{},
	}, nil
}

// refusingListener accepts and closes connections at once while the proxy refuses them.
type refusingListener struct {
	net.Listener
	proxy *Proxy
}

func (l *refusingListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		l.proxy.mu.Lock()
		refused := l.proxy.faults.Refuse
		l.proxy.mu.Unlock()
		if !refused {
			return conn, nil
		}
		_ = conn.Close()
	}
}

func (p *Proxy) connContext(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, conn)
}

func (p *Proxy) connState(conn net.Conn, state http.ConnState) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch state {
	case http.StateNew:
		if p.faults.Refuse {
			_ = conn.Close()
			return
		}
		p.connections[conn] = true
		p.counters.Connections++
	case http.StateClosed, http.StateHijacked:
		delete(p.connections, conn)
	}
}

// verdict is what the faults of the moment mean for one request.
type verdict struct {
	goaway, busy, gone, inStream, lose bool
	retryAfter                         int
	delay                              time.Duration
}

func (p *Proxy) judge(t target) verdict {
	p.mu.Lock()
	defer p.mu.Unlock()
	f := &p.faults
	v := verdict{retryAfter: f.RetryAfter, inStream: f.GoneInStream, delay: time.Duration(f.WatchDelayMs) * time.Millisecond}
	p.served++
	if f.GoawayEvery > 0 && p.served%f.GoawayEvery == 0 {
		v.goaway = true
		p.counters.Goaways++
	}
	if f.BusyFraction > 0 && p.random.Float64() < f.BusyFraction {
		v.busy = true
		p.counters.Busy++
		return v
	}
	if t.verb == "watch" && (f.GoneNext > 0 || p.random.Float64() < f.GoneFraction) {
		f.GoneNext = max(0, f.GoneNext-1)
		v.gone = true
		p.counters.Gone++
	}
	if t.writes() && (f.LoseResource == "" || f.LoseResource == t.resource) &&
		(f.LoseAnswers > 0 || p.random.Float64() < f.LoseFraction) {
		f.LoseAnswers = max(0, f.LoseAnswers-1)
		v.lose = true
		p.counters.Lost++
	}
	return v
}

func (p *Proxy) count(t target, outcome string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := t.verb + " " + t.resource
	if p.counters.Requests[key] == nil {
		p.counters.Requests[key] = map[string]int{}
	}
	p.counters.Requests[key][outcome]++
}

// startBinding notes a request to bind and returns how to note its outcome.
func (p *Proxy) startBinding(t target) func(code int, lost bool) {
	if t.verb != "create" || t.resource != "pods/binding" {
		return func(int, bool) {}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	i := len(p.counters.Bindings)
	p.counters.Bindings = append(p.counters.Bindings, Binding{Namespace: t.namespace, Pod: t.name, At: time.Now()})
	return func(code int, lost bool) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.counters.Bindings[i].Code, p.counters.Bindings[i].Lost = code, lost
	}
}

func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	t := targetOf(r)
	v := p.judge(t)
	if v.goaway {
		// Over HTTP/2 this makes the server send GOAWAY and close the connection when its streams have ended.
		w.Header().Set("Connection", "close")
	}
	switch {
	case v.busy:
		w.Header().Set("Retry-After", strconv.Itoa(max(1, v.retryAfter)))
		busy.answer(w, r)
		p.count(t, "429")
	case v.gone && v.inStream:
		gone.event(w, r)
		p.count(t, "410 in stream")
	case v.gone:
		gone.answer(w, r)
		p.count(t, "410")
	default:
		p.forward(w, r, t, v)
	}
}

func (p *Proxy) forward(w http.ResponseWriter, r *http.Request, t target, v verdict) {
	ctx := r.Context()
	if v.lose {
		// The server must finish even if the client gives up.
		ctx = context.WithoutCancel(ctx)
	}
	if t.verb == "watch" {
		var cancel context.CancelFunc
		ctx, cancel = context.WithCancel(ctx)
		defer p.addWatch(cancel)()
	}
	done := p.startBinding(t)
	out := r.Clone(ctx)
	out.URL.Scheme, out.URL.Host, out.Host, out.RequestURI = p.upstream.Scheme, p.upstream.Host, p.upstream.Host, ""
	if r.ContentLength == 0 {
		out.Body = http.NoBody
	}
	answer, err := p.transport.RoundTrip(out)
	if err != nil {
		p.count(t, "unreachable")
		p.abort(r)
	}
	defer answer.Body.Close()
	if v.lose {
		_, _ = io.Copy(io.Discard, answer.Body)
		done(answer.StatusCode, true)
		p.count(t, "lost")
		p.abort(r)
	}
	done(answer.StatusCode, false)
	p.count(t, strconv.Itoa(answer.StatusCode))
	for key, values := range answer.Header {
		if key != "Connection" {
			w.Header()[key] = values
		}
	}
	w.WriteHeader(answer.StatusCode)
	if t.verb == "watch" {
		_ = http.NewResponseController(w).Flush()
		if p.stream(ctx, w, answer.Body, v.delay) {
			return
		}
	} else if _, err := io.Copy(w, answer.Body); err == nil {
		return
	}
	panic(http.ErrAbortHandler)
}

// abort ends the request and its connection without an answer.
func (p *Proxy) abort(r *http.Request) {
	if conn, ok := r.Context().Value(connKey{}).(net.Conn); ok {
		_ = conn.Close()
	}
	panic(http.ErrAbortHandler)
}

func (p *Proxy) addWatch(cancel context.CancelFunc) (remove func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	id := p.nextWatch
	p.nextWatch++
	p.watches[id] = cancel
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		cancel()
		delete(p.watches, id)
	}
}

type chunk struct {
	data []byte
	due  time.Time
	err  error
}

// stream passes a watch on as it comes, each piece after the delay. Returns whether the watch ended in good order.
func (p *Proxy) stream(ctx context.Context, w http.ResponseWriter, body io.Reader, delay time.Duration) bool {
	chunks := make(chan chunk, 4096)
	go func() {
		for {
			buffer := make([]byte, 32<<10)
			n, err := body.Read(buffer)
			select {
			case chunks <- chunk{buffer[:n], time.Now().Add(delay), err}:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	}()
	controller := http.NewResponseController(w)
	for {
		var c chunk
		select {
		case c = <-chunks:
		case <-ctx.Done():
			return false
		}
		select {
		case <-time.After(time.Until(c.due)):
		case <-ctx.Done():
			return false
		}
		if len(c.data) > 0 {
			if _, err := w.Write(c.data); err != nil {
				return false
			}
			if err := controller.Flush(); err != nil {
				return false
			}
		}
		if c.err != nil {
			return errors.Is(c.err, io.EOF)
		}
	}
}
