package main

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"helm.sh/helm/v4/pkg/action"
	ci "helm.sh/helm/v4/pkg/chart"
	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/loader"
	chart "helm.sh/helm/v4/pkg/chart/v2"
)

// mostCharts is the number of parsed charts that are kept.
const mostCharts = 8

// charts holds parsed charts by folder and digest. All namespaces get the same chart from a definition, so it holds nothing of a tenant.
type charts struct {
	mutex sync.Mutex
	known map[string]*reading
	// order has the keys, the one that was used longest ago first.
	order []string
	parse func(folder string) (*parsed, error)
}

// parsed is a chart as it was read. It is never changed: each request gets a copy.
type parsed struct {
	chart  *chart.Chart
	schema *valuesSchema
}

// reading is a chart that one request reads, and that others wait for. Its result may be read when done is closed.
type reading struct {
	done  chan struct{}
	found *parsed
	err   error
}

func newCharts() *charts {
	return &charts{known: map[string]*reading{}, parse: parse}
}

// get reads a chart, or returns what was read before. Without a digest, nothing says whether the folder is still the same. Requests for the
// same chart wait for one that reads it; those for others do not. One that cannot be read is read again by the next request.
func (c *charts) get(folder, digest string) (*parsed, error) {
	if digest == "" {
		return c.parse(folder)
	}
	key := digest + " " + folder
	one, isFirst := c.claim(key)
	if !isFirst {
		<-one.done
		return one.found, one.err
	}
	defer func() {
		if one.found == nil {
			c.forget(key, one)
		}
		close(one.done)
	}()
	// What the others get if this one panics.
	one.err = errors.New("the chart could not be read")
	one.found, one.err = c.parse(folder)
	return one.found, one.err
}

// claim returns the reading of a key, and whether the caller has to do it.
func (c *charts) claim(key string) (*reading, bool) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if found, ok := c.known[key]; ok {
		c.touch(key)
		return found, false
	}
	one := &reading{done: make(chan struct{})}
	c.known[key] = one
	c.order = append(c.order, key)
	if len(c.order) > mostCharts {
		delete(c.known, c.order[0])
		c.order = c.order[1:]
	}
	return one, true
}

// forget removes a reading, unless its key has another one by now.
func (c *charts) forget(key string, one *reading) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.known[key] != one {
		return
	}
	delete(c.known, key)
	c.order = slices.DeleteFunc(c.order, func(other string) bool { return other == key })
}

func (c *charts) touch(key string) {
	for i, one := range c.order {
		if one == key {
			c.order = append(append(c.order[:i:i], c.order[i+1:]...), key)
			return
		}
	}
}

func parse(folder string) (*parsed, error) {
	loaded, err := loader.Load(folder)
	if err != nil {
		return nil, err
	}
	found, ok := loaded.(*chart.Chart)
	if !ok {
		return nil, errors.New("the chart has an apiVersion that is not supported")
	}
	required := make([]ci.Dependency, 0, len(found.Metadata.Dependencies))
	for _, one := range found.Metadata.Dependencies {
		required = append(required, one)
	}
	if err := action.CheckDependencies(found, required); len(required) > 0 && err != nil {
		return nil, fmt.Errorf("an error occurred while checking for chart dependencies: %w", err)
	}
	return &parsed{chart: found, schema: compile(found)}, nil
}

// installable says whether the chart is one to install: libraries are not.
func installable(found *chart.Chart) error {
	switch found.Metadata.Type {
	case "", "application":
		return nil
	}
	return fmt.Errorf("%s charts are not installable", found.Metadata.Type)
}

// copyOf returns a chart that Helm may change: it removes dependencies and merges their values. Files are shared, since nothing changes them.
func copyOf(from *chart.Chart) *chart.Chart {
	one := *from
	one.Metadata = copyMetadata(from.Metadata)
	one.Values = copyMap(from.Values)
	one.Templates = append([]*common.File(nil), from.Templates...)
	one.SetDependencies()
	for _, dependency := range from.Dependencies() {
		one.AddDependency(copyOf(dependency))
	}
	return &one
}

func copyMetadata(from *chart.Metadata) *chart.Metadata {
	one := *from
	one.Dependencies = nil
	for _, dependency := range from.Dependencies {
		copied := *dependency
		copied.ImportValues, _ = copyValue(dependency.ImportValues).([]any)
		one.Dependencies = append(one.Dependencies, &copied)
	}
	return &one
}

func copyMap(from map[string]any) map[string]any {
	if from == nil {
		return nil
	}
	one := make(map[string]any, len(from))
	for key, value := range from {
		one[key] = copyValue(value)
	}
	return one
}

func copyValue(value any) any {
	switch known := value.(type) {
	case map[string]any:
		return copyMap(known)
	case []any:
		one := make([]any, len(known))
		for i, item := range known {
			one[i] = copyValue(item)
		}
		return one
	}
	return value
}
