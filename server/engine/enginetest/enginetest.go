// Package enginetest is the conformance suite for authors of an engine. A test of a recognizer
// is one call:
//
//	func TestRecognizer(t *testing.T) {
//		r := myengine.New(enginetest.Host(t))
//		enginetest.Recognizer(t, r, enginetest.Sample{
//			Path: "testdata/hello.wav", Language: "en", Text: "hello world", MaxErrorRate: 0.2,
//		})
//	}
//
// The suite checks a recognizer against the promises of package engine. The author states the
// expected accuracy in Sample.MaxErrorRate.
//
// A test of a caption source is one call too. The source must read the video site and accept
// the site's address:
//
//	enginetest.CaptionSource(t, func(host engine.Host, base string) engine.CaptionSource {
//		return mysource.New(host, base)
//	})
//
// The suite asks the source for the contents of a fake [Site], each with another [Condition]:
// captions, no captions, or one of the ways in which a site hides its content. The suite does
// not test sources of other platforms. [ListSource] tests a source of playlists in the same
// way. [Discovery] tests a Discovery: its author writes a handler that serves a sitecatalog.Catalog like
// the site or its interface for programs, and the suite spoils the answers.
package enginetest

import (
	"context"
	"testing"

	"github.com/transcriptkit/transcriptkit/internal/run"
	"github.com/transcriptkit/transcriptkit/server/engine"
)

// T is what the suite needs of a *testing.T.
type T interface {
	Helper()
	Errorf(format string, args ...any)
	FailNow()
	TempDir() string
	Context() context.Context
}

// Check is one test of the suite: its name, and the function that tests r with at least one
// recording of known text.
type Check struct {
	Name string
	Run  func(t T, r engine.Recognizer, samples []Sample)
}

// Recognizer runs every check of [RecognizerChecks] as a subtest. It needs at least one sample.
func Recognizer(t *testing.T, r engine.Recognizer, samples ...Sample) {
	t.Helper()
	if len(samples) == 0 {
		t.Fatal("enginetest: a recognizer cannot be tested without a sample")
	}
	for _, c := range RecognizerChecks() {
		t.Run(c.Name, func(t *testing.T) { c.Run(t, r, samples) })
	}
}

// Host returns a host like the one that a server gives to an engine: its runner starts real
// programs, and its directory is removed after the test.
func Host(t testing.TB) engine.Host {
	t.Helper()
	dir := t.TempDir()
	programs, err := run.New(run.Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	return engine.Host{Programs: programs, Confined: programs.Confined() == nil, Dir: dir}
}
