package main

import "testing"

func TestTheNameChoosesTheCommandLine(t *testing.T) {
	for name, want := range map[string]bool{
		"helm":                       true,
		"/usr/local/bin/helm":        true,
		"helm-worker":                false,
		"/usr/local/bin/helm-worker": false,
		"/opt/helm/helm-worker":      false,
		"":                           false,
	} {
		if got := isCLI(name); got != want {
			t.Errorf("isCLI(%q) = %v", name, got)
		}
	}
}
