//go:build tools

// Package operators names the controller that test/operators builds.
package operators

import _ "github.com/aws-controllers-k8s/iam-controller/cmd/controller"
