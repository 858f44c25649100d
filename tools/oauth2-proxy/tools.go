//go:build tools

// Package tools pins oauth2-proxy, which a long test runs in front of the console.
package tools

import (
	_ "github.com/oauth2-proxy/oauth2-proxy/v7"
)
