// Package enginetest is the conformance suite for whoever writes an engine. A
// test of a recognizer is one call:
//
//	func TestRecognizer(t *testing.T) {
//		r := myengine.New(enginetest.Host(t))
//		enginetest.Recognizer(t, r, enginetest.Sample{
//			Path: "testdata/hello.wav", Language: "en", Text: "hello world", MaxErrorRate: 0.2,
//		})
//	}
//
// The suite holds a recognizer to what package engine promises for it. How well
// it hears is for its author to say, in Sample.MaxErrorRate.
//
// A test of a caption source is one call too, for a source of the video site that
// can be told where that site is:
//
//	enginetest.CaptionSource(t, func(host engine.Host, base string) engine.CaptionSource {
//		return mysource.New(host, base)
//	})
//
// It is asked for the contents of a fake [Site], each of which answers with
// another [Condition]: captions, none, or one of the ways in which a site hides
// what it has. Sources of other platforms are not tested here. [ListSource] does the
// same for a source of playlists, and [Discovery] for what finds videos: its author says how
// the site, or an interface for programs that it has, shows a [Catalog], and the suite
// spoils the answers.
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

// Check is one test of the suite: its name, and the test of r with recordings
// whose text is known, at least one.
type Check struct {
	Name string
	Run  func(t T, r engine.Recognizer, samples []Sample)
}

// Recognizer runs every check of [RecognizerChecks] as a subtest. At least one
// sample is needed.
func Recognizer(t *testing.T, r engine.Recognizer, samples ...Sample) {
	t.Helper()
	if len(samples) == 0 {
		t.Fatal("enginetest: a recognizer cannot be tested without a sample")
	}
	for _, c := range RecognizerChecks() {
		t.Run(c.Name, func(t *testing.T) { c.Run(t, r, samples) })
	}
}

// Host returns a host as a server would hand it to an engine: with a runner that
// starts real programs, and a directory that is removed after the test.
func Host(t testing.TB) engine.Host {
	t.Helper()
	dir := t.TempDir()
	programs, err := run.New(run.Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	return engine.Host{Programs: programs, Confined: programs.Confined() == nil, Dir: dir}
}
