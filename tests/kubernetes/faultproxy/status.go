// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/binary"
	"encoding/json"
	"net/http"
	"strings"
)

const protobuf = "application/vnd.kubernetes.protobuf"

// failure is a Status as API servers answer with, in the form that the client asked for.
type failure struct {
	code    int
	reason  string
	message string
}

var (
	gone = failure{http.StatusGone, "Expired", "The resourceVersion for the provided watch is too old."}
	busy = failure{http.StatusTooManyRequests, "TooManyRequests", "Too many requests, please try again later."}
)

func wantsProtobuf(r *http.Request) bool { return strings.Contains(r.Header.Get("Accept"), protobuf) }

func (f failure) answer(w http.ResponseWriter, r *http.Request) {
	if wantsProtobuf(r) {
		w.Header().Set("Content-Type", protobuf)
		w.WriteHeader(f.code)
		_, _ = w.Write(f.protobuf())
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(f.code)
	_, _ = w.Write(f.json())
}

// event answers with a watch whose only event is this error.
func (f failure) event(w http.ResponseWriter, r *http.Request) {
	if wantsProtobuf(r) {
		w.Header().Set("Content-Type", protobuf+";stream=watch")
		event := append(field(1, []byte("ERROR")), field(2, field(1, f.protobuf()))...)
		frame := binary.BigEndian.AppendUint32(nil, uint32(len(event)))
		_, _ = w.Write(append(frame, event...))
		return
	}
	w.Header().Set("Content-Type", "application/json;stream=watch")
	_, _ = w.Write([]byte(`{"type":"ERROR","object":` + string(f.json()) + "}\n"))
}

func (f failure) json() []byte {
	text, _ := json.Marshal(map[string]any{
		"apiVersion": "v1", "kind": "Status", "metadata": map[string]any{}, "status": "Failure",
		"reason": f.reason, "message": f.message, "code": f.code,
	})
	return text
}

// protobuf is the Status in the envelope of Kubernetes' protobuf: magic bytes, then a runtime.Unknown.
func (f failure) protobuf() []byte {
	var status []byte
	status = append(status, field(1, nil)...)
	status = append(status, field(2, []byte("Failure"))...)
	status = append(status, field(3, []byte(f.message))...)
	status = append(status, field(4, []byte(f.reason))...)
	status = binary.AppendUvarint(append(status, 6<<3), uint64(f.code))
	typeMeta := append(field(1, []byte("v1")), field(2, []byte("Status"))...)
	unknown := append(field(1, typeMeta), field(2, status)...)
	unknown = append(unknown, field(3, nil)...)
	unknown = append(unknown, field(4, nil)...)
	return append([]byte("k8s\x00"), unknown...)
}

// field is a length-delimited field of protobuf.
func field(number byte, value []byte) []byte {
	return append(binary.AppendUvarint([]byte{number<<3 | 2}, uint64(len(value))), value...)
}
