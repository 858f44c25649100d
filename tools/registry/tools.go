//go:build tools

// Package tools pins registry, which local mode and the tests run.
package tools

import _ "github.com/google/go-containerregistry/cmd/crane"
