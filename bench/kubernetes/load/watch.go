// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"os"
	"time"
)

// watch calls `event` with the type and the protobuf message of every change in a collection from now on, from a thread of
// its own. An API server with much to do ends watches that it thinks too slow: they go on where they were. The program ends
// when one cannot, rather than measure without it.
func watch(api *server, path string, event func(kind string, message []byte)) error {
	listed, err := api.get(withQuery(path, "limit", "1"))
	if err != nil {
		return err
	}
	var list struct {
		Metadata struct {
			ResourceVersion string `json:"resourceVersion"`
		} `json:"metadata"`
	}
	if err := json.Unmarshal(listed, &list); err != nil {
		return err
	}
	path = withQuery(withQuery(path, "watch", "1"), "allowWatchBookmarks", "true")
	version := list.Metadata.ResourceVersion
	open := func() (*http.Response, error) {
		return api.open("GET", withQuery(path, "resourceVersion", version), protobuf+";stream=watch", "", nil)
	}
	answer, err := open()
	if err != nil {
		return err
	}
	go func() {
		for {
			err := frames(answer.Body, func(frame []byte) error {
				kind := string(field(frame, 1))
				if kind == "ERROR" {
					log.Printf("the watch of %s cannot go on: %q", path, frame)
					os.Exit(1)
				}
				message := unwrapped(field(field(frame, 2), 1))
				version = string(field(field(message, 1), 6))
				if kind != "BOOKMARK" {
					event(kind, message)
				}
				return nil
			})
			answer.Body.Close()
			log.Printf("the watch of %s ended and goes on: %v", path, err)
			time.Sleep(10 * time.Millisecond)
			if answer, err = open(); err != nil {
				log.Printf("the watch of %s cannot go on: %v", path, err)
				os.Exit(1)
			}
		}
	}()
	return nil
}

// frames cuts a stream into messages, each behind its length in four bytes. A frame lives until the next one.
func frames(stream io.Reader, each func([]byte) error) error {
	in := bufio.NewReaderSize(stream, 1<<16)
	var frame []byte
	for {
		var length [4]byte
		if _, err := io.ReadFull(in, length[:]); err != nil {
			return err
		}
		n := int(binary.BigEndian.Uint32(length[:]))
		if cap(frame) < n {
			frame = make([]byte, n)
		}
		if _, err := io.ReadFull(in, frame[:n]); err != nil {
			return err
		}
		if err := each(frame[:n]); err != nil {
			return err
		}
	}
}
