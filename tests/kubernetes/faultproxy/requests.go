// SPDX-License-Identifier: Apache-2.0

package main

import (
	"net/http"
	"strings"
)

// target is what a request is about, in the words of the API.
type target struct {
	verb      string // get, list, watch, create, update, patch, delete, deletecollection, or a lower-case method
	resource  string // such as pods or pods/binding; the path where it is not about a resource
	namespace string
	name      string
}

func (t target) writes() bool {
	switch t.verb {
	case "create", "update", "patch", "delete", "deletecollection":
		return true
	}
	return false
}

func targetOf(r *http.Request) target {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	var rest []string
	switch {
	case len(parts) > 2 && parts[0] == "api":
		rest = parts[2:]
	case len(parts) > 3 && parts[0] == "apis":
		rest = parts[3:]
	default:
		return target{verb: strings.ToLower(r.Method), resource: r.URL.Path}
	}
	var t target
	if len(rest) > 2 && rest[0] == "namespaces" {
		t.namespace, rest = rest[1], rest[2:]
	}
	t.resource = rest[0]
	if len(rest) > 1 {
		t.name = rest[1]
	}
	if len(rest) > 2 {
		t.resource += "/" + rest[2]
	}
	t.verb = verbOf(r, t.name)
	return t
}

func verbOf(r *http.Request, name string) string {
	watch := r.URL.Query().Get("watch")
	switch {
	case r.Method == http.MethodGet && (watch == "1" || watch == "true"):
		return "watch"
	case r.Method == http.MethodGet && name == "":
		return "list"
	case r.Method == http.MethodGet:
		return "get"
	case r.Method == http.MethodPost:
		return "create"
	case r.Method == http.MethodPut:
		return "update"
	case r.Method == http.MethodPatch:
		return "patch"
	case r.Method == http.MethodDelete && name == "":
		return "deletecollection"
	case r.Method == http.MethodDelete:
		return "delete"
	}
	return strings.ToLower(r.Method)
}
