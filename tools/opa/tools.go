//go:build tools

// Package tools pins opa, which local mode and the tests run.
package tools

import _ "github.com/open-policy-agent/opa"
