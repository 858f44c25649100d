package main

import (
	"bytes"
	"io"
	"net/http"
	"regexp"
)

// maxDocument is the number of bytes of a list of kinds that is kept.
const maxDocument = 1 << 20

// groupPath is the path of the kinds of one version of an API group. Every authenticated user may read it.
var groupPath = regexp.MustCompile(`^/(api/v1|apis/[a-z0-9.-]{1,253}/[a-z0-9]{1,63})$`)

// document is an answer of the API server.
type document struct {
	header http.Header
	body   []byte
}

// fromSnapshot answers for lists of kinds that the API server has answered before: Helm asks for one in every lookup of a template.
type fromSnapshot struct {
	http.RoundTripper
	getter *getter
}

func (f fromSnapshot) RoundTrip(asked *http.Request) (*http.Response, error) {
	if asked.Method != http.MethodGet || !groupPath.MatchString(asked.URL.Path) {
		return f.RoundTripper.RoundTrip(asked)
	}
	// Another format is another document.
	key := asked.URL.Path + " " + asked.Header.Get("Accept")
	if found, ok := f.getter.snapshot.document(key); ok {
		return found.answer(asked), nil
	}
	given, err := f.RoundTripper.RoundTrip(asked)
	if err != nil || given.StatusCode != http.StatusOK {
		return given, err
	}
	defer given.Body.Close()
	body, err := io.ReadAll(given.Body)
	if err != nil {
		return nil, err
	}
	read := document{given.Header, body}
	if len(body) <= maxDocument {
		f.getter.snapshot.keepDocument(key, read)
	}
	return read.answer(asked), nil
}

func (d document) answer(asked *http.Request) *http.Response {
	return &http.Response{
		Status: "200 OK", StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: d.header.Clone(), Body: io.NopCloser(bytes.NewReader(d.body)), ContentLength: int64(len(d.body)), Request: asked,
	}
}

func (s *snapshot) document(key string) (document, bool) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	found, ok := s.documents[key]
	return found, ok
}

func (s *snapshot) keepDocument(key string, one document) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.documents[key] = one
}
