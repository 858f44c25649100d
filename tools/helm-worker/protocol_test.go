package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// fake performs requests by a function of the test.
type fake struct {
	do     func(ctx context.Context, asked request) error
	resets atomic.Int32
}

func (f *fake) perform(ctx context.Context, asked request) error { return f.do(ctx, asked) }
func (f *fake) reset()                                           { f.resets.Add(1) }

// talk is a worker with a pipe on each side.
type talk struct {
	in    *io.PipeWriter
	out   *json.Decoder
	ended chan error
}

func start(t *testing.T, worker performer) *talk {
	t.Helper()
	inner, in := io.Pipe()
	out, outer := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- serve(inner, outer, worker)
		_ = inner.Close()
		_ = outer.Close()
	}()
	t.Cleanup(func() { _ = in.Close() })
	one := &talk{in, json.NewDecoder(out), ended}
	var greeting hello
	if err := one.out.Decode(&greeting); err != nil || greeting.Protocol != protocol {
		t.Fatalf("greeting %v, error %v", greeting, err)
	}
	return one
}

func (w *talk) send(t *testing.T, line string) {
	t.Helper()
	if _, err := io.WriteString(w.in, line+"\n"); err != nil {
		t.Fatal(err)
	}
}

func (w *talk) next(t *testing.T) answer {
	t.Helper()
	var found answer
	if err := w.out.Decode(&found); err != nil {
		t.Fatal(err)
	}
	return found
}

func ask(id int, verb, release string) string {
	return fmt.Sprintf(`{"id":%d,"verb":%q,"release":%q,"timeoutMs":60000}`, id, verb, release)
}

func TestAnswersInTheOrderInWhichRequestsEnd(t *testing.T) {
	release := make(chan struct{})
	worker := start(t, &fake{do: func(_ context.Context, asked request) error {
		if asked.Release == "slow" {
			<-release
			return errors.New("failed late")
		}
		return nil
	}})
	worker.send(t, ask(1, "install", "slow"))
	worker.send(t, ask(2, "upgrade", "fast"))
	if found := worker.next(t); found != (answer{ID: 2}) {
		t.Fatalf("first answer %v", found)
	}
	close(release)
	if found := worker.next(t); found != (answer{1, "failed late"}) {
		t.Fatalf("second answer %v", found)
	}
}

func TestEndsWithAReasonWhenTheInputIsNoRequest(t *testing.T) {
	for line, reason := range map[string]string{
		`{"id":1`:                      "a request is not valid",
		`[]`:                           "a request is not valid",
		`{"id":-1,"verb":"install"}`:   "a request is not valid",
		`{"id":1,"verb":"rollback"}`:   `verb "rollback" is not known`,
		`{"id":1,"verb":"install"}`:    "request 1 has no deadline",
		strings.Repeat("x", maxLine+1): "a request has more than",
	} {
		worker := start(t, &fake{do: func(context.Context, request) error { return nil }})
		// The worker stops reading in the middle of a long line.
		go func() { _, _ = io.WriteString(worker.in, line+"\n") }()
		if err := <-worker.ended; err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("%.40q: %v", line, err)
		}
	}
}

func TestEndsWithTheInputWhileARequestIsUnderway(t *testing.T) {
	worker := start(t, &fake{do: func(context.Context, request) error { select {} }})
	worker.send(t, ask(1, "install", "hangs"))
	_ = worker.in.Close()
	if err := <-worker.ended; err != nil {
		t.Fatal(err)
	}
}

func TestALineThatTheEndCutsOffIsNoRequest(t *testing.T) {
	var asked atomic.Int32
	worker := &fake{do: func(context.Context, request) error { asked.Add(1); return nil }}
	var out bytes.Buffer
	if err := serve(strings.NewReader(ask(1, "uninstall", "cut")), &out, worker); err != nil {
		t.Fatal(err)
	}
	if asked.Load() != 0 {
		t.Fatal("half a request was performed")
	}
}

func TestASecondRequestWithTheSameIDEndsTheWorker(t *testing.T) {
	worker := start(t, &fake{do: func(context.Context, request) error { select {} }})
	worker.send(t, ask(7, "install", "one"))
	worker.send(t, ask(7, "install", "two"))
	if err := <-worker.ended; err == nil || err.Error() != "request 7 is underway" {
		t.Fatal(err)
	}
}

func TestCancelEndsOneRequestAndDeadlinesEndTheirs(t *testing.T) {
	worker := start(t, &fake{do: func(ctx context.Context, _ request) error {
		<-ctx.Done()
		return ctx.Err()
	}})
	worker.send(t, ask(1, "install", "cancelled"))
	worker.send(t, `{"id":1,"verb":"cancel"}`)
	if found := worker.next(t); found != (answer{1, "context canceled"}) {
		t.Fatalf("%v", found)
	}
	worker.send(t, `{"id":2,"verb":"install","timeoutMs":20}`)
	if found := worker.next(t); found != (answer{2, "context deadline exceeded"}) {
		t.Fatalf("%v", found)
	}
}

func TestAPanicIsTheErrorOfItsRequest(t *testing.T) {
	worker := start(t, &fake{do: func(_ context.Context, asked request) error {
		if asked.ID == 1 {
			panic("a template")
		}
		return nil
	}})
	worker.send(t, ask(1, "install", "panics"))
	if found := worker.next(t); found != (answer{1, "helm failed: a template"}) {
		t.Fatalf("%v", found)
	}
	worker.send(t, ask(2, "install", "after"))
	if found := worker.next(t); found != (answer{ID: 2}) {
		t.Fatalf("%v", found)
	}
}

func TestResetForgetsAndLongErrorsAreCut(t *testing.T) {
	worker := &fake{do: func(context.Context, request) error { return errors.New(strings.Repeat("e", maxError+1)) }}
	pipe := start(t, worker)
	pipe.send(t, `{"id":0,"verb":"reset"}`)
	pipe.send(t, ask(1, "install", "long"))
	if found := pipe.next(t); len(found.Error) != maxError {
		t.Fatalf("%d bytes", len(found.Error))
	}
	if worker.resets.Load() != 1 {
		t.Fatal("no reset")
	}
}

func TestManyRequestsAtOnceGetTheirOwnAnswers(t *testing.T) {
	const many = 200
	worker := start(t, &fake{do: func(_ context.Context, asked request) error {
		time.Sleep(time.Duration(asked.ID%7) * time.Millisecond)
		return errors.New(asked.Release)
	}})
	var sent sync.WaitGroup
	sent.Go(func() {
		for id := 1; id <= many; id++ {
			worker.send(t, ask(id, "install", fmt.Sprint("release ", id)))
		}
	})
	seen := map[uint64]bool{}
	for range many {
		found := worker.next(t)
		if found.Error != fmt.Sprint("release ", found.ID) || seen[found.ID] {
			t.Fatalf("%v", found)
		}
		seen[found.ID] = true
	}
	sent.Wait()
}
