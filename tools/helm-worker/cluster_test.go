package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/rest"
)

// server answers discovery, and counts the requests of each user.
type server struct {
	mutex sync.Mutex
	asked map[string]int
	fails map[string]bool
	// during is called once while a user's discovery is underway.
	during func()
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	user := r.Header.Get("Impersonate-User")
	s.mutex.Lock()
	s.asked[user]++
	refused := s.fails[user]
	during := s.during
	s.during = nil
	s.mutex.Unlock()
	if during != nil {
		during()
	}
	w.Header().Set("Content-Type", "application/json")
	switch {
	case refused:
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(w, `{"kind":"Status","status":"Failure","code":403,"reason":"Forbidden"}`)
	case r.URL.Path == "/version":
		_, _ = io.WriteString(w, `{"major":"1","minor":"36","gitVersion":"v1.36.3"}`)
	case r.URL.Path == "/api":
		_, _ = io.WriteString(w, `{"kind":"APIVersions","versions":["v1"]}`)
	case r.URL.Path == "/api/v1":
		_, _ = io.WriteString(w, `{"kind":"APIResourceList","groupVersion":"v1","resources":[{"name":"secrets","namespaced":true,"kind":"Secret","verbs":["get"]}]}`)
	default:
		_, _ = io.WriteString(w, `{"kind":"APIGroupList","groups":[]}`)
	}
}

func (s *server) total(user string) int {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.asked[user]
}

func open(t *testing.T) (*server, func(user string) *rest.Config) {
	t.Helper()
	one := &server{asked: map[string]int{}, fails: map[string]bool{}}
	listening := httptest.NewServer(one)
	t.Cleanup(listening.Close)
	return one, func(user string) *rest.Config {
		return configOf(t.Context(), request{Server: listening.URL, Token: user})
	}
}

func TestDiscoveryIsSharedUntilItIsReset(t *testing.T) {
	api, as := open(t)
	known := newCluster()
	first, err := known.get(t.Context(), as("a"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if !first.capabilities.APIVersions.Has("v1/Secret") || first.capabilities.KubeVersion.Version != "v1.36.3" {
		t.Errorf("%v", first.capabilities)
	}
	second, err := known.get(t.Context(), as("b"), nil)
	if err != nil || second != first || api.total("b") != 0 {
		t.Errorf("the second asked %d times: %v", api.total("b"), err)
	}
	known.reset()
	if third, err := known.get(t.Context(), as("b"), nil); err != nil || third == first || api.total("b") == 0 {
		t.Errorf("after a reset nothing was asked: %v", err)
	}
}

func TestAResetDuringDiscoveryMakesTheNextRequestAsk(t *testing.T) {
	api, as := open(t)
	known := newCluster()
	api.during = known.reset
	first, err := known.get(t.Context(), as("a"), nil)
	if err != nil {
		t.Fatal(err)
	}
	second, err := known.get(t.Context(), as("b"), nil)
	if err != nil || second == first || api.total("b") == 0 {
		t.Errorf("what was asked for before the reset counts after it: %v", err)
	}
	if third, err := known.get(t.Context(), as("c"), nil); err != nil || third != second || api.total("c") != 0 {
		t.Errorf("the answer after the reset is not kept: %v", err)
	}
}

func TestAListOfKindsIsReadOncePerSnapshot(t *testing.T) {
	api, as := open(t)
	config := as("a")
	found, err := newCluster().get(t.Context(), config, nil)
	if err != nil {
		t.Fatal(err)
	}
	access := &getter{snapshot: found}
	client := http.Client{Transport: fromSnapshot{config.Transport, access}}
	read := func(path string) string {
		asked, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, config.Host+path, nil)
		asked.Header.Set("Impersonate-User", "counted")
		given, err := client.Do(asked)
		if err != nil {
			t.Fatal(err)
		}
		defer given.Body.Close()
		text, _ := io.ReadAll(given.Body)
		return string(text)
	}
	first := read("/api/v1")
	if again := read("/api/v1"); !strings.Contains(first, "secrets") || again != first || api.total("counted") != 1 {
		t.Errorf("asked %d times: %q, %q", api.total("counted"), first, again)
	}
	access.snapshot, _ = newCluster().get(t.Context(), config, nil)
	read("/api/v1")
	read("/api/v1/namespaces/demo/secrets")
	read("/api/v1/namespaces/demo/secrets")
	if api.total("counted") != 4 {
		t.Errorf("asked %d times: a new snapshot knows nothing, and objects are never kept", api.total("counted"))
	}
}

func TestAStaleSnapshotIsReplacedOnceForAll(t *testing.T) {
	api, as := open(t)
	known := newCluster()
	stale, _ := known.get(t.Context(), as("a"), nil)
	fresh, _ := known.get(t.Context(), as("b"), stale)
	asked := api.total("b")
	again, _ := known.get(t.Context(), as("c"), stale)
	if fresh == stale || again != fresh || asked == 0 || api.total("c") != 0 {
		t.Errorf("b asked %d, c %d times", asked, api.total("c"))
	}
}

func TestOneThatMayNotDiscoverDoesNotSpoilItForOthers(t *testing.T) {
	api, as := open(t)
	api.fails["denied"] = true
	known := newCluster()
	if _, err := known.get(t.Context(), as("denied"), nil); err == nil {
		t.Fatal("it was let in")
	}
	if _, err := known.get(t.Context(), as("allowed"), nil); err != nil {
		t.Fatal(err)
	}
}

func TestWaitingForTheAnswerOfAnotherHasADeadline(t *testing.T) {
	_, as := open(t)
	known := newCluster()
	known.turn <- struct{}{}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := known.get(ctx, as("a"), nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
}

func TestNothingIsSentAfterARequestHasEnded(t *testing.T) {
	hangs := make(chan struct{})
	listening := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(hangs)
		<-r.Context().Done()
	}))
	defer listening.Close()
	ended, end := context.WithCancel(context.Background())
	client := http.Client{Transport: cut{&http.Transport{}, ended}}
	failed := make(chan error)
	go func() {
		_, err := client.Get(listening.URL)
		failed <- err
	}()
	<-hangs
	end()
	if err := <-failed; err == nil {
		t.Error("a request underway goes on")
	}
	if _, err := client.Get(listening.URL); err == nil || !strings.Contains(err.Error(), errEnded.Error()) {
		t.Errorf("a later one was sent: %v", err)
	}
}
