package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"helm.sh/helm/v4/pkg/action"
	"helm.sh/helm/v4/pkg/chart/common"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
)

// snapshotTTL is how long a snapshot counts if nothing resets it before, and partialTTL that of one in which API groups are missing.
const (
	snapshotTTL = 5 * time.Minute
	partialTTL  = 5 * time.Second
)

// cluster is what the worker knows of the API server, for all namespaces: which kinds there are. Every authenticated user may read that
// (ClusterRole system:discovery). Nothing else is shared: what rights decide is asked for with the token of each request.
type cluster struct {
	// turn is held by the one that asks the API server.
	turn  chan struct{}
	mutex sync.Mutex
	known *snapshot
	// resets is the number of resets. An answer that was asked for before the last one is not kept.
	resets int
}

// snapshot is what the API server said at one time. Only checked changes.
type snapshot struct {
	mapper       meta.RESTMapper
	capabilities *common.Capabilities
	until        time.Time
	mutex        sync.Mutex
	// checked has the kinds for which the API server validates fields strictly.
	checked map[schema.GroupVersionKind]bool
	// documents has the lists of kinds of API groups, by path, as charts that look objects up ask for them.
	documents map[string]document
}

func newCluster() *cluster {
	return &cluster{turn: make(chan struct{}, 1)}
}

// reset makes the next request ask again.
func (c *cluster) reset() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.known = nil
	c.resets++
}

func (c *cluster) current() *snapshot {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.known == nil || time.Now().After(c.known.until) {
		return nil
	}
	return c.known
}

// get returns a snapshot other than stale (nil for any). One request asks, with its own rights, while the others wait no longer than
// their own deadlines. If it fails, the next one asks.
func (c *cluster) get(ctx context.Context, config *rest.Config, stale *snapshot) (*snapshot, error) {
	select {
	case c.turn <- struct{}{}:
		defer func() { <-c.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if found := c.current(); found != nil && found != stale {
		return found, nil
	}
	resets := c.forget()
	found, err := discover(config)
	if err != nil {
		return nil, err
	}
	c.keep(found, resets)
	return found, nil
}

// forget drops what is known, and returns the number of resets before that.
func (c *cluster) forget() int {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.known = nil
	return c.resets
}

// keep makes an answer that of all later requests. A reset that came meanwhile may be about a kind that it lacks: it is then the answer of
// this request alone, which was sent before the reset, and the next one asks.
func (c *cluster) keep(found *snapshot, resets int) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.resets == resets {
		c.known = found
	}
}

// once keeps the answer of a client, so that kinds and capabilities come from the same one.
type once struct {
	discovery.DiscoveryInterface
	groups    []*groupList
	resources []*resourceList
	err       error
}

func (o *once) ServerGroupsAndResources() ([]*groupList, []*resourceList, error) {
	if o.groups == nil && o.err == nil {
		o.groups, o.resources, o.err = o.DiscoveryInterface.ServerGroupsAndResources()
	}
	return o.groups, o.resources, o.err
}

func discover(config *rest.Config) (*snapshot, error) {
	client, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, err
	}
	asked := &once{DiscoveryInterface: client}
	version, err := client.ServerVersion()
	if err != nil {
		return nil, fmt.Errorf("could not get server version from Kubernetes: %w", err)
	}
	groups, err := restmapper.GetAPIGroupResources(asked)
	if err != nil {
		return nil, fmt.Errorf("could not get apiVersions from Kubernetes: %w", err)
	}
	versions, err := action.GetVersionSet(asked)
	if err != nil && !discovery.IsGroupDiscoveryFailedError(err) {
		return nil, fmt.Errorf("could not get apiVersions from Kubernetes: %w", err)
	}
	ttl := snapshotTTL
	if asked.err != nil {
		ttl = partialTTL
	}
	return &snapshot{
		mapper: restmapper.NewDiscoveryRESTMapper(groups),
		capabilities: &common.Capabilities{
			APIVersions: versions,
			KubeVersion: common.KubeVersion{Version: version.GitVersion, Major: version.Major, Minor: version.Minor},
			HelmVersion: common.DefaultCapabilities.HelmVersion,
		},
		until:     time.Now().Add(ttl),
		checked:   map[schema.GroupVersionKind]bool{},
		documents: map[string]document{},
	}, nil
}

func (s *snapshot) isChecked(kind schema.GroupVersionKind) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.checked[kind]
}

func (s *snapshot) setChecked(kind schema.GroupVersionKind) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.checked[kind] = true
}
