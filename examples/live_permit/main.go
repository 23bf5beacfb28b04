// SPDX-License-Identifier: Apache-2.0

// livepermit asks, before a pod is bound, whether the node that was chosen is well at this moment. The scheduler goes on
// with other pods meanwhile; the pod waits at Permit.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"berth.dev/sdk/go/plugin"
)

type livePermit struct {
	// URL of a node's health, where {node} stands for its name and {address} for its first address.
	URL string `json:"url"`
	// Timeout for one answer, Attempts of them: a node that does not answer is not well.
	Timeout  string `json:"timeout"`
	Attempts int    `json:"attempts"`
	timeout  time.Duration
	client   *http.Client
}

func open(session *plugin.Session) (any, error) {
	p := &livePermit{Timeout: "1s", Attempts: 2, client: &http.Client{}}
	if err := session.DecodeArgs(p); err != nil {
		return nil, err
	}
	var err error
	if p.timeout, err = time.ParseDuration(p.Timeout); err != nil || p.timeout <= 0 {
		return nil, errors.New("config: timeout must be a duration, as in 1s")
	}
	if p.Attempts < 1 {
		return nil, errors.New("config: attempts must be at least 1")
	}
	if !strings.HasPrefix(p.URL, "http://") && !strings.HasPrefix(p.URL, "https://") {
		return nil, errors.New("config: url must be that of a node's health, as in http://{address}:9100/healthz")
	}
	return p, nil
}

// Permit answers at once that the pod is to wait, for a little longer than all attempts can take.
func (p *livePermit) Permit(cycle *plugin.Cycle, _ *plugin.Pod, node *plugin.Node) (*plugin.Status, time.Duration) {
	go func() {
		if err := p.check(cycle.Context(), node); err != nil {
			cycle.Reject(fmt.Sprintf("node %s is not well: %v", node.Name, err))
		} else {
			cycle.Allow()
		}
	}()
	return plugin.Wait(), time.Duration(p.Attempts)*p.timeout + time.Second
}

// check ends early when the attempt is over.
func (p *livePermit) check(ctx context.Context, node *plugin.Node) error {
	var last error
	for range p.Attempts {
		if last = p.ask(ctx, node); last == nil || ctx.Err() != nil {
			return last
		}
	}
	return last
}

func (p *livePermit) ask(ctx context.Context, node *plugin.Node) error {
	ctx, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	address := strings.NewReplacer("{node}", url.PathEscape(node.Name), "{address}", addressOf(node)).Replace(p.URL)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	response, err := p.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(response.Body, 200))
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", response.Status, strings.TrimSpace(string(text)))
	}
	return nil
}

func addressOf(node *plugin.Node) string {
	var read struct {
		Status struct {
			Addresses []struct{ Address string }
		}
	}
	if err := node.Decode(&read); err != nil || len(read.Status.Addresses) == 0 {
		return node.Name
	}
	return read.Status.Addresses[0].Address
}

func main() { plugin.Main("live-permit", open) }
