// SPDX-License-Identifier: Apache-2.0

// Command faultproxy stands between a client and kube-apiserver, and fails as networks and servers do.
//
//	faultproxy -upstream https://127.0.0.1:6443 -upstream-ca apiserver.crt -certificates DIR -ports FILE
//	faultproxy certificates DIR        writes ca.crt, tls.crt, tls.key (for 127.0.0.1 and localhost) and sa.key into DIR
//
// It listens on two free ports of the loopback device, which it writes to FILE as {"proxy": …, "control": …}: TLS with
// HTTP/2 for the client, plain HTTP for the test.
//
//	POST /faults        sets the fields given in a JSON object, see Faults; GET shows them
//	POST /cut?what=watches|connections
//	GET  /counters      {"requests": {"create pods/binding": {"201": 7}}, "bindings": [{"pod": …, "code": …, "at": …}], …}
package main

import (
	"crypto/tls"
	"encoding/json"
	"flag"
	"log"
	"net"
	"net/http"
	"os"
)

func main() {
	log.SetFlags(log.Lmicroseconds)
	if len(os.Args) == 3 && os.Args[1] == "certificates" {
		if err := writeCertificates(os.Args[2]); err != nil {
			log.Fatal(err)
		}
		return
	}
	upstream := flag.String("upstream", "", "URL of kube-apiserver")
	upstreamCA := flag.String("upstream-ca", "", "file with the certificates that vouch for it")
	certificates := flag.String("certificates", "", "folder with tls.crt and tls.key")
	ports := flag.String("ports", "", "file to write the ports to")
	seed := flag.Uint64("seed", 1, "seed of the draws")
	flag.Parse()
	if err := run(*upstream, *upstreamCA, *certificates, *ports, *seed); err != nil {
		log.Fatal(err)
	}
}

func run(upstream, upstreamCA, certificates, ports string, seed uint64) error {
	proxy, err := newProxy(upstream, upstreamCA, seed)
	if err != nil {
		return err
	}
	certificate, err := tls.LoadX509KeyPair(certificates+"/tls.crt", certificates+"/tls.key")
	if err != nil {
		return err
	}
	plain, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	control, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	if err := writePorts(ports, plain, control); err != nil {
		return err
	}
	server := &http.Server{
		Handler:     proxy,
		ConnContext: proxy.connContext,
		ConnState:   proxy.connState,
		TLSConfig:   &tls.Config{Certificates: []tls.Certificate{certificate}},
		// Aborted handlers are what this program is for.
		ErrorLog: log.New(discard{}, "", 0),
	}
	go func() { log.Fatal(http.Serve(control, proxy.control())) }()
	return server.ServeTLS(&refusingListener{Listener: plain, proxy: proxy}, "", "")
}

// writePorts writes the file at once, so that whoever waits for it never reads half of it.
func writePorts(path string, proxy, control net.Listener) error {
	text, err := json.Marshal(map[string]int{
		"proxy":   proxy.Addr().(*net.TCPAddr).Port,
		"control": control.Addr().(*net.TCPAddr).Port,
	})
	if err != nil {
		return err
	}
	if err := os.WriteFile(path+".new", text, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
