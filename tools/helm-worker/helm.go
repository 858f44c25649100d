package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"

	"helm.sh/helm/v4/pkg/action"
	ci "helm.sh/helm/v4/pkg/chart"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/kube"
	"helm.sh/helm/v4/pkg/storage"
	"helm.sh/helm/v4/pkg/storage/driver"
	corev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	cmdutil "k8s.io/kubectl/pkg/cmd/util"
)

// helm performs requests with Helm's SDK, with the settings that the controller gives the helm program: no hooks, no CRDs, server-side
// apply, strict validation, values of the request alone.
type helm struct {
	charts  *charts
	cluster *cluster
}

func newHelm() *helm {
	return &helm{charts: newCharts(), cluster: newCluster()}
}

func (h *helm) reset() {
	h.cluster.reset()
}

func (h *helm) perform(ctx context.Context, asked request) error {
	// What Helm leaves running in the background reaches the gateway no more.
	ended, end := context.WithCancel(context.Background())
	defer end()
	config, err := h.configure(ctx, ended, asked)
	if err != nil {
		return named(asked.Verb, err)
	}
	switch asked.Verb {
	case "install":
		return named(asked.Verb, h.install(ctx, config, asked))
	case "upgrade":
		return named(asked.Verb, h.upgrade(ctx, config, asked))
	default:
		return uninstall(ctx, end, config, asked)
	}
}

// named gives an error the words of the helm program.
func named(verb string, err error) error {
	if err == nil {
		return nil
	}
	switch verb {
	case "install":
		return fmt.Errorf("INSTALLATION FAILED: %w", err)
	case "upgrade":
		return fmt.Errorf("UPGRADE FAILED: %w", err)
	}
	return err
}

// configure opens Helm for one request: nothing that a token opens is used by another one.
func (h *helm) configure(ctx, ended context.Context, asked request) (*action.Configuration, error) {
	rest := configOf(ended, asked)
	found, err := h.cluster.get(ctx, rest, nil)
	if err != nil {
		return nil, err
	}
	access := &getter{ctx: ctx, asking: rest, cluster: h.cluster, snapshot: found}
	own := *rest
	own.Transport = fromSnapshot{rest.Transport, access}
	access.config = &own
	secrets, err := corev1.NewForConfig(rest)
	if err != nil {
		return nil, err
	}
	kubernetes := kube.New(access)
	kubernetes.Factory = factory{cmdutil.NewFactory(access), access}
	kubernetes.Namespace = asked.Namespace
	kubernetes.SetLogger(slog.DiscardHandler)
	store := driver.NewSecrets(secrets.Secrets(asked.Namespace))
	store.SetLogger(slog.DiscardHandler)
	config := action.NewConfiguration(action.ConfigurationSetLogger(slog.DiscardHandler))
	config.RESTClientGetter = access
	config.KubeClient = client{kubernetes}
	config.Releases = storage.Init(store)
	config.Capabilities = found.capabilities.Copy()
	return config, nil
}

// prepare returns the request's own copy of the chart, its values, and whether they are known to be valid.
func (h *helm) prepare(asked request) (*chart.Chart, map[string]any, bool, error) {
	values, err := loader.LoadValues(bytes.NewReader(asked.Values))
	if err != nil {
		return nil, nil, false, fmt.Errorf("failed to parse the values: %w", err)
	}
	found, err := h.charts.get(asked.Chart, asked.Digest)
	if err != nil {
		return nil, nil, false, err
	}
	own := copyOf(found.chart)
	if found.schema == nil {
		return own, values, false, nil
	}
	if err := found.schema.validate(own, values); err != nil {
		return nil, nil, false, err
	}
	return own, values, true, nil
}

func (h *helm) install(ctx context.Context, config *action.Configuration, asked request) error {
	own, values, isValid, err := h.prepare(asked)
	if err != nil {
		return err
	}
	if err := installable(own); err != nil {
		return err
	}
	call := action.NewInstall(config)
	call.ReleaseName, call.Namespace, call.Labels = asked.Release, asked.Namespace, asked.Labels
	call.DisableHooks, call.SkipCRDs = true, true
	call.ServerSideApply, call.ForceConflicts = true, true
	call.SkipSchemaValidation = isValid
	call.WaitStrategy = kube.HookOnlyStrategy
	_, err = call.RunWithContext(ctx, ci.Charter(own), values)
	return err
}

func (h *helm) upgrade(ctx context.Context, config *action.Configuration, asked request) error {
	own, values, isValid, err := h.prepare(asked)
	if err != nil {
		return err
	}
	call := action.NewUpgrade(config)
	call.Namespace, call.Labels = asked.Namespace, asked.Labels
	call.DisableHooks, call.SkipCRDs = true, true
	call.ServerSideApply, call.ForceConflicts = "true", true
	call.ResetValues, call.MaxHistory = true, asked.History
	call.SkipSchemaValidation = isValid
	call.WaitStrategy = kube.HookOnlyStrategy
	_, err = call.RunWithContext(ctx, asked.Release, ci.Charter(own), values)
	return err
}

// uninstall has no deadline in the SDK, so the deadline ends its HTTP requests.
func uninstall(ctx context.Context, end context.CancelFunc, config *action.Configuration, asked request) error {
	stop := context.AfterFunc(ctx, end)
	defer stop()
	call := action.NewUninstall(config)
	call.DisableHooks, call.IgnoreNotFound = true, true
	call.DeletionPropagation = "background"
	call.WaitStrategy = kube.HookOnlyStrategy
	_, err := call.Run(asked.Release)
	if err != nil && ctx.Err() != nil {
		return errors.Join(ctx.Err(), err)
	}
	return err
}
