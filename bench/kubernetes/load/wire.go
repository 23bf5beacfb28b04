// SPDX-License-Identifier: Apache-2.0

package main

import "encoding/binary"

// Reads single fields out of protobuf messages: whole pods are not decoded, which would take CPU from what is measured.

// field is the value of the first length-delimited field `number`; empty where there is none.
func field(message []byte, number uint64) []byte {
	for len(message) > 0 {
		tag, n := binary.Uvarint(message)
		if n <= 0 {
			return nil
		}
		message = message[n:]
		value, rest, ok := split(message, tag&7)
		if !ok {
			return nil
		}
		if tag>>3 == number && tag&7 == 2 {
			return value
		}
		message = rest
	}
	return nil
}

// split takes the value of a field of this wire type off the front of a message.
func split(message []byte, wireType uint64) (value, rest []byte, ok bool) {
	size, skip := 0, 0
	switch wireType {
	case 0:
		_, size = binary.Uvarint(message)
		if size <= 0 {
			return nil, nil, false
		}
	case 1:
		size = 8
	case 2:
		length, n := binary.Uvarint(message)
		if n <= 0 || length > uint64(len(message)-n) {
			return nil, nil, false
		}
		size, skip = int(length), n
	case 5:
		size = 4
	default:
		return nil, nil, false
	}
	if size+skip > len(message) {
		return nil, nil, false
	}
	return message[skip : skip+size], message[skip+size:], true
}

// unwrapped is the message inside Kubernetes' envelope: "k8s\0", then runtime.Unknown, whose field 2 holds it.
func unwrapped(document []byte) []byte {
	if len(document) < 4 || string(document[:4]) != "k8s\x00" {
		return nil
	}
	return field(document[4:], 2)
}

// podPlace is name and node of a pod: Pod.metadata.name and Pod.spec.nodeName.
func podPlace(pod []byte) (name, node []byte) {
	return field(field(pod, 1), 1), field(field(pod, 2), 10)
}
