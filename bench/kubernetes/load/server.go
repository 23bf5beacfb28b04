// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

const protobuf = "application/vnd.kubernetes.protobuf"

// The API server. HTTP/1.1 with a connection per worker: that takes less CPU than many streams on one connection, and the
// CPU is shared with what is measured.
type server struct {
	url, token string
	client     http.Client
}

func newServer(address, caFile, token string) (*server, error) {
	pem, err := os.ReadFile(caFile)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("no certificate in %s", caFile)
	}
	return &server{url: address, token: token, client: http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: pool}, MaxIdleConnsPerHost: 256, DisableCompression: true,
		TLSNextProto: map[string]func(string, *tls.Conn) http.RoundTripper{}}}}, nil
}

// refusal is an answer of the server other than success.
type refusal struct {
	code int
	text string
}

func (r *refusal) Error() string { return r.text }

func isRefusal(err error, code int) bool {
	r, ok := err.(*refusal)
	return ok && r.code == code
}

// open sends a request, again while the server asks to wait, and hands out the answer: the caller closes its body.
func (s *server) open(method, path, accept, contentType string, body []byte) (*http.Response, error) {
	for {
		request, err := http.NewRequest(method, s.url+path, bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		request.Header.Set("Authorization", "Bearer "+s.token)
		request.Header.Set("Accept", accept)
		if body != nil {
			request.Header.Set("Content-Type", contentType)
		}
		answer, err := s.client.Do(request)
		if err != nil {
			return nil, err
		}
		if answer.StatusCode < 300 {
			return answer, nil
		}
		text, _ := io.ReadAll(io.LimitReader(answer.Body, 400))
		answer.Body.Close()
		if answer.StatusCode != http.StatusTooManyRequests {
			return nil, &refusal{answer.StatusCode, fmt.Sprintf("%s %s: %s: %q", method, path, answer.Status, text)}
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// do sends a request and throws the answer away, unread where it is long: nobody needs it decoded.
func (s *server) do(method, path, contentType string, body []byte) error {
	answer, err := s.open(method, path, protobuf, contentType, body)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, answer.Body)
	answer.Body.Close()
	return err
}

// get is the answer as text, JSON for API objects.
func (s *server) get(path string) ([]byte, error) {
	answer, err := s.open("GET", path, "application/json", "", nil)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	return io.ReadAll(answer.Body)
}

var now = []byte(`{"kind":"DeleteOptions","apiVersion":"v1","gracePeriodSeconds":0,"propagationPolicy":"Background"}`)

func (s *server) remove(path string) error {
	err := s.do("DELETE", path, "application/json", now)
	if isRefusal(err, http.StatusNotFound) {
		return nil
	}
	return err
}

// empty deletes all that the collections hold at once, and returns when they are empty.
func (s *server) empty(paths []string) error {
	for _, path := range paths {
		for {
			if err := s.removeCollection(path); err != nil {
				return err
			}
			left, err := s.get(withQuery(path, "limit", "1"))
			if err != nil {
				return err
			}
			if !strings.Contains(string(left), `"uid"`) {
				break
			}
			time.Sleep(50 * time.Millisecond)
		}
	}
	return nil
}

// removeCollection tries again what the server has no time for: it ends requests after a minute.
func (s *server) removeCollection(path string) error {
	err := s.do("DELETE", path, "application/json", now)
	if isRefusal(err, http.StatusGatewayTimeout) || isRefusal(err, http.StatusNotFound) {
		return nil
	}
	return err
}

func withQuery(path, key, value string) string {
	separator := "?"
	if strings.Contains(path, "?") {
		separator = "&"
	}
	return path + separator + key + "=" + url.QueryEscape(value)
}
