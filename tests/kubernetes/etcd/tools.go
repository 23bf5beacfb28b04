// SPDX-License-Identifier: Apache-2.0

//go:build tools

// Package etcd names the program to build, so that go mod tidy keeps what it needs.
package etcd

import (
	_ "go.etcd.io/etcd/server/v3/etcdmain"
)
