package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// protocol is the number of this version of the protocol. The controller uses no worker with another one.
const protocol = 1

// maxLine is the number of bytes that a request may have. Values come from an object of the API server, which has at most 3 MiB.
const maxLine = 16 << 20

// maxError is the number of bytes of an error's text that are passed on.
const maxError = 16 << 10

// hello is the first line that the worker writes.
type hello struct {
	Protocol int    `json:"protocol"`
	Helm     string `json:"helm"`
}

// request is one line of the input.
type request struct {
	// ID is chosen by the controller, and given back in the answer.
	ID uint64 `json:"id"`
	// Verb is install, upgrade, uninstall, cancel (the request with this ID) or reset (what is known of the API server).
	Verb string `json:"verb"`
	// Server is the address of the gateway, and Token what opens it: for one namespace and this request.
	Server    string `json:"server"`
	Token     string `json:"token"`
	Namespace string `json:"namespace"`
	Release   string `json:"release"`
	// Chart is a folder, Digest its content: what is parsed once counts for both.
	Chart  string            `json:"chart"`
	Digest string            `json:"digest"`
	Labels map[string]string `json:"labels"`
	// History is the number of revisions that an upgrade keeps.
	History int `json:"history"`
	// Values are kept as they came: Helm reads numbers in its own way.
	Values json.RawMessage `json:"values"`
	// TimeoutMs is when Helm is asked to stop. The controller ends this process if it does not.
	TimeoutMs int64 `json:"timeoutMs"`
}

// answer is one line of the output. An empty error is success.
type answer struct {
	ID    uint64 `json:"id"`
	Error string `json:"error,omitempty"`
}

// performer does what a request asks.
type performer interface {
	perform(ctx context.Context, asked request) error
	reset()
}

// answers writes lines. Requests end at the same time, so one line is written at a time.
type answers struct {
	mutex sync.Mutex
	out   *json.Encoder
}

func newAnswers(out io.Writer) *answers {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	return &answers{out: encoder}
}

func (a *answers) write(line any) error {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	return a.out.Encode(line)
}

// readLine reads a line of at most limit bytes. A line that the input's end cuts off is no request.
func readLine(reader *bufio.Reader, limit int) ([]byte, error) {
	var line []byte
	for {
		part, err := reader.ReadSlice('\n')
		if len(line)+len(part) > limit {
			return nil, fmt.Errorf("a request has more than %d bytes", limit)
		}
		line = append(line, part...)
		if err == nil {
			return line, nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return nil, err
		}
	}
}

// dispatch runs each request in a goroutine of its own. The controller limits how many it sends.
type dispatch struct {
	worker  performer
	answers *answers
	mutex   sync.Mutex
	cancels map[uint64]context.CancelFunc
}

func newDispatch(worker performer, out *answers) *dispatch {
	return &dispatch{worker: worker, answers: out, cancels: map[uint64]context.CancelFunc{}}
}

// handle starts what a line asks for. An error means that the other side does not speak this protocol.
func (d *dispatch) handle(line []byte) error {
	var asked request
	if err := json.Unmarshal(line, &asked); err != nil {
		return fmt.Errorf("a request is not valid: %w", err)
	}
	switch asked.Verb {
	case "cancel":
		d.cancel(asked.ID)
	case "reset":
		d.worker.reset()
	case "install", "upgrade", "uninstall":
		return d.start(asked)
	default:
		return fmt.Errorf("verb %q is not known", asked.Verb)
	}
	return nil
}

func (d *dispatch) start(asked request) error {
	if asked.TimeoutMs <= 0 {
		return fmt.Errorf("request %d has no deadline", asked.ID)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(asked.TimeoutMs)*time.Millisecond)
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if _, ok := d.cancels[asked.ID]; ok {
		cancel()
		return fmt.Errorf("request %d is underway", asked.ID)
	}
	d.cancels[asked.ID] = cancel
	go d.run(ctx, asked)
	return nil
}

func (d *dispatch) run(ctx context.Context, asked request) {
	result := answer{ID: asked.ID}
	if err := d.performSafely(ctx, asked); err != nil {
		result.Error = shorten(err.Error())
	}
	d.cancel(asked.ID)
	// If it cannot be written, the controller is gone, and the input ends.
	_ = d.answers.write(result)
}

// performSafely makes a panic of one request that request's error.
func (d *dispatch) performSafely(ctx context.Context, asked request) (err error) {
	defer func() {
		if thrown := recover(); thrown != nil {
			err = fmt.Errorf("helm failed: %v", thrown)
		}
	}()
	return d.worker.perform(ctx, asked)
}

func (d *dispatch) cancel(id uint64) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if cancel, ok := d.cancels[id]; ok {
		cancel()
		delete(d.cancels, id)
	}
}

func shorten(text string) string {
	if len(text) > maxError {
		return text[:maxError]
	}
	return text
}
