package main

import (
	"context"
	"errors"
	"net/http"
	"time"

	"helm.sh/helm/v4/pkg/kube"
	"helm.sh/helm/v4/pkg/kubeenv"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/resource"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/openapi/cached"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	cmdutil "k8s.io/kubectl/pkg/cmd/util"
	"k8s.io/kubectl/pkg/util/openapi"
	"k8s.io/kubectl/pkg/validation"
)

type (
	groupList    = metav1.APIGroup
	resourceList = metav1.APIResourceList
)

// idleTimeout is shorter than the gateway's, so that no request goes out on a connection that the gateway closes.
const idleTimeout = 2 * time.Second

// wire is the connections to the gateway. They belong to no request: each request says with its token what it may do.
var wire = &http.Transport{MaxIdleConnsPerHost: 16, IdleConnTimeout: idleTimeout, DisableCompression: true}

// cut ends the HTTP requests of a request to the worker when that has ended: Helm goes on in the background after a deadline.
type cut struct {
	http.RoundTripper
	ended context.Context
}

var errEnded = errors.New("the request to helm has ended")

// body ends the watch on a request when its answer has been read.
type body struct {
	readCloser
	release func()
}

type readCloser interface {
	Read([]byte) (int, error)
	Close() error
}

func (b body) Close() error {
	defer b.release()
	return b.readCloser.Close()
}

func (c cut) RoundTrip(asked *http.Request) (*http.Response, error) {
	if c.ended.Err() != nil {
		return nil, errEnded
	}
	ctx, cancel := context.WithCancel(asked.Context())
	stop := context.AfterFunc(c.ended, cancel)
	release := func() {
		stop()
		cancel()
	}
	given, err := c.RoundTripper.RoundTrip(asked.WithContext(ctx))
	if err != nil {
		release()
		return nil, err
	}
	given.Body = body{given.Body, release}
	return given, nil
}

// configOf is the client configuration of one request. The gateway reads its token from the header of impersonation, since clients send
// no bearer token without TLS.
func configOf(ended context.Context, asked request) *rest.Config {
	return &rest.Config{
		Host:        asked.Server,
		Impersonate: rest.ImpersonationConfig{UserName: asked.Token},
		UserAgent:   "Helm/" + version,
		// The controller limits how many requests there are.
		QPS:       -1,
		Transport: &kubeenv.RetryingRoundTripper{Wrapped: cut{wire, ended}},
	}
}

// getter is the access of one request to the API server: its own clients, and the shared snapshot.
type getter struct {
	ctx    context.Context
	config *rest.Config
	// asking is the one for new snapshots: nothing is answered from the old one.
	asking   *rest.Config
	cluster  *cluster
	snapshot *snapshot
}

func (g *getter) ToRESTConfig() (*rest.Config, error) {
	return g.config, nil
}

func (g *getter) ToDiscoveryClient() (discovery.CachedDiscoveryInterface, error) {
	client, err := discovery.NewDiscoveryClientForConfig(g.config)
	if err != nil {
		return nil, err
	}
	return memory.NewMemCacheClient(client), nil
}

func (g *getter) ToRESTMapper() (meta.RESTMapper, error) {
	return &mapper{RESTMapper: g.snapshot.mapper, getter: g}, nil
}

func (g *getter) ToRawKubeConfigLoader() clientcmd.ClientConfig {
	return clientcmd.NewDefaultClientConfig(*clientcmdapi.NewConfig(), nil)
}

// mapper asks the API server once more for a kind that the snapshot lacks: its CRD may have come since.
type mapper struct {
	meta.RESTMapper
	getter *getter
	again  bool
}

func (m *mapper) RESTMapping(kind schema.GroupKind, versions ...string) (*meta.RESTMapping, error) {
	found, err := m.RESTMapper.RESTMapping(kind, versions...)
	if err == nil || m.again || !meta.IsNoMatchError(err) {
		return found, err
	}
	m.again = true
	fresh, asking := m.getter.cluster.get(m.getter.ctx, m.getter.asking, m.getter.snapshot)
	if asking != nil {
		return nil, asking
	}
	m.getter.snapshot = fresh
	m.RESTMapper = fresh.mapper
	return m.RESTMapper.RESTMapping(kind, versions...)
}

// factory is kubectl's, but it asks only once for each kind whether the API server validates fields.
type factory struct {
	cmdutil.Factory
	getter *getter
}

func (f factory) Validator(directive string) (validation.Schema, error) {
	if directive == metav1.FieldValidationIgnore {
		return validation.NullSchema{}, nil
	}
	dynamic, err := f.DynamicClient()
	if err != nil {
		return nil, err
	}
	client, err := f.getter.ToDiscoveryClient()
	if err != nil {
		return nil, err
	}
	param := resource.QueryParamFieldValidation
	asking := resource.NewFallbackQueryParamVerifier(
		resource.NewQueryParamVerifierV3(dynamic, cached.NewClient(client.OpenAPIV3()), param),
		resource.NewQueryParamVerifier(dynamic, openapi.NewOpenAPIGetter(client), param))
	// What the client checks where the API server does not.
	local := validation.ConjunctiveSchema{validation.NewSchemaValidation(f.Factory), validation.NoDoubleKeySchema{}}
	return validation.NewParamVerifyingSchema(local, verifier{f.getter.snapshot, asking}, directive), nil
}

type verifier struct {
	snapshot *snapshot
	asking   resource.Verifier
}

func (v verifier) HasSupport(kind schema.GroupVersionKind) error {
	if v.snapshot.isChecked(kind) {
		return nil
	}
	err := v.asking.HasSupport(kind)
	if err == nil {
		v.snapshot.setChecked(kind)
	}
	return err
}

// client is Helm's client without what this worker does not need: a request that asks whether the API server is there, and waiting, since
// there are no hooks and the controller watches resources itself.
type client struct {
	*kube.Client
}

func (client) IsReachable() error {
	return nil
}

func (client) GetWaiter(kube.WaitStrategy) (kube.Waiter, error) {
	return waitsForNothing{}, nil
}

func (client) GetWaiterWithOptions(kube.WaitStrategy, ...kube.WaitOption) (kube.Waiter, error) {
	return waitsForNothing{}, nil
}

type waitsForNothing struct{}

func (waitsForNothing) Wait(kube.ResourceList, time.Duration) error { return nil }

func (waitsForNothing) WaitWithJobs(kube.ResourceList, time.Duration) error { return nil }

func (waitsForNothing) WaitForDelete(kube.ResourceList, time.Duration) error { return nil }

func (waitsForNothing) WatchUntilReady(kube.ResourceList, time.Duration) error {
	return errors.New("hooks are not supported")
}
