// Command helm-worker installs, upgrades and uninstalls Helm releases for Landfall's composition controller.
//
// It reads one JSON request a line from standard input and writes one JSON answer a line to standard output, in any order. It opens no
// port, knows no credentials, and ends when standard input does. docs/internals/helm-worker.md describes the protocol.
//
// Called by the name helm, it is Helm's command line instead.
package main

import (
	"bufio"
	"fmt"
	"io"
	"log/slog"
	"os"

	"helm.sh/helm/v4/pkg/kube"
)

// version is Helm's, set by the linker.
var version = "unknown"

func main() {
	// The owner of the fields that server-side apply writes: the same as of the helm program, so that each can go on after the other.
	kube.ManagedFieldsManager = "helm"
	if isCLI(os.Args[0]) {
		os.Exit(runCLI(os.Args[1:]))
	}
	if len(os.Args) == 2 && os.Args[1] == "--version" {
		fmt.Printf("helm-worker v%s protocol %d\n", version, protocol)
		return
	}
	// Warnings about charts are not for the controller's log, and a request must not make the worker print without end.
	slog.SetDefault(slog.New(slog.DiscardHandler))
	// The only thing that may write to standard output: what a library prints by mistake must not look like an answer.
	answers := os.Stdout
	os.Stdout = os.Stderr
	if err := serve(os.Stdin, answers, newHelm()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}

// serve answers requests until the input ends. It does not wait for those that are underway: nobody would read their answers.
func serve(in io.Reader, out io.Writer, worker performer) error {
	writer := newAnswers(out)
	if err := writer.write(hello{Protocol: protocol, Helm: version}); err != nil {
		return err
	}
	reader := bufio.NewReaderSize(in, 64*1024)
	dispatch := newDispatch(worker, writer)
	for {
		line, err := readLine(reader, maxLine)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := dispatch.handle(line); err != nil {
			return err
		}
	}
}
