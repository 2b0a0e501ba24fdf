//go:build unix

package captionbench_test

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"math"

	"github.com/asticode/go-astisub"

	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/caption"
	"github.com/transcriptkit/transcriptkit/transcript/format"
)

// row is a row of the table: what two sides do with the same file, of which sides
// tells the size in bytes.
type row struct {
	name  string
	goal  goal
	sides func(cues int) (size int, ours, theirs func() error)
}

var rows = []row{
	// How honest the others are.
	{"WebVTT read, against itself", goal{}, reading(webVTT, readWebVTT, readWebVTT)},

	{"WebVTT read", goal{faster: 15, allocs: 1}, reading(webVTT, readWebVTT, peerWebVTT)},
	{"SRT read", goal{faster: 15, allocs: 1}, reading(srt, readSRT, peerSRT)},
	{"rolling WebVTT read, unrolled", goal{faster: 20, allocs: 1}, reading(rolling, unrollWebVTT, peerWebVTT)},
	{"TTML read", goal{slower: 1.5, allocs: math.Inf(1)}, reading(ttml, readTTML, tokens)},
	{"srv3 read", goal{slower: 1.5, allocs: math.Inf(1)}, reading(srv3, readSRV3, tokens)},
	{"SRT write", goal{faster: 10}, writing(format.AppendSRT, astisub.Subtitles.WriteToSRT)},
	{"WebVTT write", goal{faster: 10}, writing(format.AppendVTT, astisub.Subtitles.WriteToWebVTT)},
}

func reading(file func(cues int) []byte, ours, theirs func([]byte) error) func(int) (int, func() error, func() error) {
	return func(cues int) (int, func() error, func() error) {
		b := file(cues)
		return len(b), func() error { return ours(b) }, func() error { return theirs(b) }
	}
}

func readWebVTT(file []byte) error { return some(caption.ReadWebVTT(bytes.NewReader(file))) }
func readSRT(file []byte) error    { return some(caption.ReadSRT(bytes.NewReader(file))) }
func readTTML(file []byte) error   { return some(caption.ReadTTML(bytes.NewReader(file))) }
func readSRV3(file []byte) error   { return some(caption.ReadSRV3(bytes.NewReader(file))) }
func peerWebVTT(file []byte) error { return peerSome(astisub.ReadFromWebVTT(bytes.NewReader(file))) }
func peerSRT(file []byte) error    { return peerSome(astisub.ReadFromSRT(bytes.NewReader(file))) }

func unrollWebVTT(file []byte) error {
	f, err := caption.ReadWebVTT(bytes.NewReader(file))
	f.Segments = caption.Unroll(f.Segments)
	return some(f, err)
}

// some sees that the work was done.
func some(f caption.File, err error) error {
	if err == nil && len(f.Segments) < 1_000 {
		return fmt.Errorf("only %d segments", len(f.Segments))
	}
	return err
}

func peerSome(subtitles *astisub.Subtitles, err error) error {
	if err == nil && len(subtitles.Items) < 1_000 {
		return fmt.Errorf("only %d items", len(subtitles.Items))
	}
	return err
}

// tokens does no more than to cut XML into its tokens.
func tokens(file []byte) error {
	d := xml.NewDecoder(bytes.NewReader(file))
	for {
		if _, err := d.RawToken(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// writing writes into buffers that are there already.
func writing(appendTo func([]byte, []transcript.Segment) []byte, write func(astisub.Subtitles, io.Writer) error) func(int) (int, func() error, func() error) {
	return func(cues int) (int, func() error, func() error) {
		segments, subtitles := talk(cues), peer(talk(cues))
		ours, theirs := appendTo(nil, segments), new(bytes.Buffer)
		return len(ours),
			func() error { ours = appendTo(ours[:0], segments); return nil },
			func() error { theirs.Reset(); return write(*subtitles, theirs) }
	}
}
