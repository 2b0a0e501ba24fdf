// Package enginetest tests whether an engine keeps the rules of package engine. It is
// for authors of engines. To test a recognizer, make one call:
//
//	func TestRecognizer(t *testing.T) {
//		r := myengine.New(enginetest.Host(t))
//		enginetest.Recognizer(t, r, enginetest.Sample{
//			Path: "testdata/hello.wav", Language: "en", Text: "hello world", MaxErrorRate: 0.2,
//		})
//	}
//
// The expected accuracy is the MaxErrorRate of the [Sample].
//
// To test a caption source, make one call too. The source must read the video site, and
// accept the site's address as an argument:
//
//	enginetest.CaptionSource(t, func(host engine.Host, base string) engine.CaptionSource {
//		return mysource.New(host, base)
//	})
//
// [Diarizer] and [VoiceDetector] test the engines that tell who speaks when, with a [Dialogue] of
// known turns.
//
// The test of a caption source reads the contents of a fake [Site], each with another [Condition]:
// captions, no captions, or one of the ways in which a site withholds its content. It
// does not test sources of other platforms. [ListSource] tests a source of playlists in
// the same way. [Discovery] tests a Discovery: its author writes a handler that serves
// a [sitecatalog.Catalog] in the format of the site or its API, and the test damages
// some of the answers.
package enginetest

import (
	"context"
	"testing"

	"github.com/transcriptkit/transcriptkit/internal/run"
	"github.com/transcriptkit/transcriptkit/server/engine"
)

// T has the methods of [*testing.T] that the tests need.
type T interface {
	Helper()
	Errorf(format string, args ...any)
	FailNow()
	TempDir() string
	Context() context.Context
}

// Check is a test for recognizers. Run tests r with at least one recording of known
// text.
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
