package main

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"

	// Plugins that log in at an API server, as the helm program has them.
	_ "k8s.io/client-go/plugin/pkg/client/auth"

	helmcmd "helm.sh/helm/v4/pkg/cmd"
)

// cliName is the name by which this program is Helm's command line: the image has one program with two names, because both are
// nearly the same libraries.
const cliName = "helm"

// isCLI says whether the program was called by Helm's name, in whatever folder.
func isCLI(arg0 string) bool {
	return filepath.Base(arg0) == cliName
}

// runCLI is Helm's command line, unchanged, and returns its exit code.
func runCLI(args []string) int {
	command, err := helmcmd.NewRootCmd(os.Stdout, args, helmcmd.SetupLogging)
	if err != nil {
		slog.Warn("command failed", slog.Any("error", err))
		return 1
	}
	err = command.Execute()
	if err == nil {
		return 0
	}
	// Plugins of Helm end with codes of their own.
	if failed, ok := errors.AsType[helmcmd.CommandError](err); ok {
		return failed.ExitCode
	}
	return 1
}
