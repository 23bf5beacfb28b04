// SPDX-License-Identifier: Apache-2.0

// Command load puts load on an API server and watches what a scheduler makes of it.
//
//	load -server https://127.0.0.1:6443 -ca apiserver.crt -token TOKEN
//
// It reads commands from standard input, one JSON object per line, and answers each with one line: the result, or
// {"error": "…"}. Commands run one after the other; churn and provision go on in the background until the program ends,
// which it does at the end of its input. See commands.go for the commands and their fields.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
)

func main() {
	log.SetFlags(log.Lmicroseconds)
	url := flag.String("server", "", "URL of kube-apiserver")
	ca := flag.String("ca", "", "file with the certificates that vouch for it")
	token := flag.String("token", "", "bearer token")
	flag.Parse()
	api, err := newServer(*url, *ca, *token)
	if err != nil {
		log.Fatal(err)
	}
	if err := serve(newSession(api)); err != nil {
		log.Fatal(err)
	}
}

func serve(s *session) error {
	in := bufio.NewReader(os.Stdin)
	out := json.NewEncoder(os.Stdout)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return nil
		}
		var given command
		if err := json.Unmarshal(line, &given); err != nil {
			return fmt.Errorf("reading a command: %w", err)
		}
		result, err := s.run(given)
		if err != nil {
			result = map[string]string{"error": fmt.Sprintf("%s: %v", given.Do, err)}
		} else if result == nil {
			result = struct{}{}
		}
		if err := out.Encode(result); err != nil {
			return err
		}
	}
}
