package export

import (
	"io"
	"math"
	"strconv"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// table writes a row of CSV for each segment.
type table struct {
	w   io.Writer
	buf []byte
}

func (t *table) begin() error {
	_, err := io.WriteString(t.w, "platform,externalId,lang,title,channel,start,duration,text\r\n")
	return err
}

func (t *table) end() error { return nil }

func (t *table) add(e Entry) error {
	if e.Transcript == nil {
		return nil
	}
	head := appendHead(nil, e.Transcript)
	t.buf = t.buf[:0]
	for i := range e.Transcript.Segments {
		s := &e.Transcript.Segments[i]
		t.buf = append(t.buf, head...)
		t.buf = append(appendSeconds(t.buf, s.Start), ',')
		t.buf = append(appendSeconds(t.buf, s.Duration), ',')
		t.buf = append(appendCell(t.buf, s.Text, true), "\r\n"...)
		if len(t.buf) < enough {
			continue
		}
		if err := t.flush(); err != nil {
			return err
		}
	}
	return t.flush()
}

// enough is how many bytes are collected before they are written.
const enough = 32 << 10

func (t *table) flush() error {
	_, err := t.w.Write(t.buf)
	t.buf = t.buf[:0]
	return err
}

// appendHead appends the cells that all segments of a transcript have.
func appendHead(dst []byte, t *transcript.Transcript) []byte {
	for _, cell := range []string{string(t.Platform), t.ExternalID, t.Lang, deref(t.Title), deref(t.Channel)} {
		dst = append(appendCell(dst, cell, false), ',')
	}
	return dst
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// appendSeconds appends a time with at most three decimals. A value that is not a time
// becomes 0.
func appendSeconds(dst []byte, seconds float64) []byte {
	if !(seconds > 0) || math.IsInf(seconds, 1) {
		seconds = 0
	}
	return strconv.AppendFloat(dst, math.Round(seconds*1000)/1000, 'f', -1, 64)
}
