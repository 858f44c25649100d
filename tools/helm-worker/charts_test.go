package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	chartutil "helm.sh/helm/v4/pkg/chart/v2/util"
)

func write(t *testing.T, folder string, files map[string]string) string {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

const about = "apiVersion: v2\nname: one\nversion: 1.0.0\n"

func TestAChartIsReadOncePerDigest(t *testing.T) {
	folder := write(t, t.TempDir(), map[string]string{"Chart.yaml": about, "values.yaml": "size: 1\n"})
	known := newCharts()
	first, err := known.get(folder, "a")
	if err != nil {
		t.Fatal(err)
	}
	write(t, folder, map[string]string{"values.yaml": "size: 2\n"})
	if again, _ := known.get(folder, "a"); again != first {
		t.Error("it was read again")
	}
	if other, _ := known.get(folder, "b"); other.chart.Values["size"] == first.chart.Values["size"] {
		t.Error("another digest has the content of the first")
	}
	if unnamed, _ := known.get(folder, ""); unnamed == first {
		t.Error("without a digest, the content that is there counts")
	}
}

func TestTheChartThatWasUsedLongestAgoIsForgotten(t *testing.T) {
	folder := write(t, t.TempDir(), map[string]string{"Chart.yaml": about})
	known := newCharts()
	first, _ := known.get(folder, "0")
	for digest := 1; digest < mostCharts; digest++ {
		_, _ = known.get(folder, strings.Repeat("x", digest))
	}
	_, _ = known.get(folder, "0")
	_, _ = known.get(folder, "new")
	if again, _ := known.get(folder, "0"); again != first {
		t.Error("one that was used lately was forgotten")
	}
	if len(known.known) != mostCharts || len(known.order) != mostCharts {
		t.Errorf("%d charts, %d keys", len(known.known), len(known.order))
	}
}

func TestAChartThatIsReadSlowlyHoldsUpNoOther(t *testing.T) {
	known := newCharts()
	var reads atomic.Int32
	begun, end := make(chan struct{}), make(chan struct{})
	known.parse = func(folder string) (*parsed, error) {
		if folder == "slow" {
			reads.Add(1)
			close(begun)
			<-end
		}
		return &parsed{}, nil
	}
	found := make(chan *parsed, 2)
	read := func() {
		one, _ := known.get("slow", "a")
		found <- one
	}
	go read()
	<-begun
	other := make(chan error)
	go func() {
		_, err := known.get("fast", "a")
		other <- err
	}()
	select {
	case err := <-other:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("another chart waits for the slow one")
	}
	go read()
	close(end)
	if first, second := <-found, <-found; first == nil || first != second || reads.Load() != 1 {
		t.Errorf("read %d times", reads.Load())
	}
}

func TestAChartThatCouldNotBeReadIsReadAgain(t *testing.T) {
	known := newCharts()
	known.parse = func(string) (*parsed, error) { return nil, errors.New("half written") }
	if _, err := known.get("one", "a"); err == nil {
		t.Fatal("it was read")
	}
	known.parse = func(string) (*parsed, error) { panic("a bug") }
	func() {
		defer func() { _ = recover() }()
		_, _ = known.get("one", "a")
	}()
	known.parse = func(string) (*parsed, error) { return &parsed{}, nil }
	if _, err := known.get("one", "a"); err != nil || len(known.order) != 1 {
		t.Errorf("%v, %v", err, known.order)
	}
}

func TestARequestCannotChangeTheChartOfAnother(t *testing.T) {
	folder := write(t, t.TempDir(), map[string]string{
		"Chart.yaml":              about + "dependencies: [{name: sub, version: 1.0.0, condition: sub.enabled, import-values: [data]}]\n",
		"values.yaml":             "list: [{a: 1}]\nsub: {enabled: true}\n",
		"charts/sub/Chart.yaml":   "apiVersion: v2\nname: sub\nversion: 1.0.0\n",
		"charts/sub/values.yaml":  "exports: {data: {imported: yes}}\n",
		"templates/one.yaml":      "a: b\n",
		"charts/sub/templates/s.": "c: d\n",
	})
	found, err := newCharts().get(folder, "a")
	if err != nil {
		t.Fatal(err)
	}
	mine := copyOf(found.chart)
	if err := chartutil.ProcessDependencies(mine, common.Values{"sub": map[string]any{"enabled": false}}); err != nil {
		t.Fatal(err)
	}
	mine.Values["list"].([]any)[0].(map[string]any)["a"] = "mine"
	mine.Metadata.Name = "mine"
	if len(mine.Dependencies()) != 0 {
		t.Fatal("the dependency was not removed from the copy")
	}
	other := copyOf(found.chart)
	if len(other.Dependencies()) != 1 || len(other.Metadata.Dependencies) != 1 || other.Name() != "one" {
		t.Errorf("the next request gets %d dependencies of %s", len(other.Dependencies()), other.Name())
	}
	if item := other.Values["list"].([]any)[0].(map[string]any)["a"]; item == "mine" {
		t.Error("the next request gets the values of the first")
	}
	if other.Dependencies()[0].Parent() != other {
		t.Error("a dependency belongs to another copy")
	}
}

func TestASchemaRefusesInHelmsWords(t *testing.T) {
	folder := write(t, t.TempDir(), map[string]string{
		"Chart.yaml":         about,
		"values.yaml":        "cpu: 1\n",
		"values.schema.json": `{"type":"object","properties":{"cpu":{"type":"integer","minimum":1}},"additionalProperties":false}`,
	})
	found, err := newCharts().get(folder, "a")
	if err != nil || found.schema == nil {
		t.Fatalf("no schema: %v", err)
	}
	for _, values := range []map[string]any{{"cpu": 0}, {"cpu": "many", "other": 1}} {
		_, wanted := util.ToRenderValues(copyOf(found.chart), values, common.ReleaseOptions{}, nil)
		given := found.schema.validate(copyOf(found.chart), values)
		if wanted == nil || given == nil || wanted.Error() != given.Error() {
			t.Errorf("helm: %v\nworker: %v", wanted, given)
		}
	}
	if err := found.schema.validate(copyOf(found.chart), map[string]any{"cpu": 2}); err != nil {
		t.Error(err)
	}
}

func TestHelmValidatesWhatIsNotCompiled(t *testing.T) {
	object := []byte(`{"type":"object"}`)
	sub := &chart.Chart{Metadata: &chart.Metadata{Name: "sub"}}
	parent := &chart.Chart{Metadata: &chart.Metadata{Name: "one"}, Schema: object}
	parent.AddDependency(sub)
	for name, one := range map[string]*chart.Chart{
		"dependencies":  parent,
		"no schema":     {Metadata: &chart.Metadata{Name: "one"}},
		"outer $ref":    {Metadata: &chart.Metadata{Name: "one"}, Schema: []byte(`{"$ref":"file:///etc/hostname"}`)},
		"not a schema":  {Metadata: &chart.Metadata{Name: "one"}, Schema: []byte(`{"type":3}`)},
		"not even JSON": {Metadata: &chart.Metadata{Name: "one"}, Schema: []byte(`{`)},
	} {
		if compile(one) != nil {
			t.Errorf("%s: compiled", name)
		}
	}
}

func TestOnlyApplicationsAreInstalled(t *testing.T) {
	if err := installable(&chart.Chart{Metadata: &chart.Metadata{Type: "library"}}); err == nil {
		t.Error("a library is installed")
	}
	if err := installable(&chart.Chart{Metadata: &chart.Metadata{Type: "application"}}); err != nil {
		t.Error(err)
	}
}
