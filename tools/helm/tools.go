//go:build tools

// Package tools pins helm, which local mode and the tests run.
package tools

import _ "helm.sh/helm/v4/cmd/helm"
