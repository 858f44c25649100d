//go:build tools

// Package tools pins etcd, which local mode and the tests run.
package tools

import _ "go.etcd.io/etcd/server/v3"
