//go:build tools

// Package tools pins Prometheus and promtool, which the tests check metrics, alerts and dashboards with.
package tools

import (
	_ "github.com/prometheus/prometheus/cmd/prometheus"
	_ "github.com/prometheus/prometheus/cmd/promtool"
)
