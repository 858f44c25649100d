//go:build tools

// Package tools pins cosign, which the tests check our signatures with.
package tools

import _ "github.com/sigstore/cosign/v3/cmd/cosign"
