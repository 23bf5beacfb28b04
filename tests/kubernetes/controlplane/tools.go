// SPDX-License-Identifier: Apache-2.0

//go:build tools

// Package controlplane names the programs to build, so that go mod tidy keeps what they need.
package controlplane

import (
	_ "k8s.io/kubernetes/cmd/kube-apiserver"
	_ "k8s.io/kubernetes/cmd/kube-scheduler"
	_ "k8s.io/kubernetes/cmd/kubectl"
)
