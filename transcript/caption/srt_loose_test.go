package caption_test

import (
	"strings"
	"testing"

	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

func TestSRTReadsTimingLinesWhateverTheirArrow(t *testing.T) {
	for _, line := range []string{
		"00:00:01,000-->00:00:02,000", "00:00:01,000 -> 00:00:02,000", "00:00:01,000 –> 00:00:02,000",
		"00:00:01,000 –-> 00:00:02,000", "00:00:01,000 — 00:00:02,000", "00:00:01,000 -- > 00:00:02,000",
		"00:00:01,000 - 00:00:02,000", "00:00:01,000 → 00:00:02,000", "00:00:01,000 \x96> 00:00:02,000",
		"00:00:01:000 -> 00:00:02:000", "00:01.000 -> 00:02.000", "0:01 -> 0:02", "00:00:01,000  00:00:02,000",
		"00：00：01,000 --> 00：00：02,000", "００:００:０１,０００ --> ００:００:０２,０００",
		"00:00:01,000 -> 00:00:02,000 X1:10 X2:20",
	} {
		file, err := caption.ReadSRT(strings.NewReader("1\n" + line + "\none\n\n2\n00:00:03,000 --> 00:00:04,000\ntwo\n"))
		if err != nil || file.Lost != nil || len(file.Segments) != 2 {
			t.Errorf("%q: %+v, %v; want two cues", line, file, err)
			continue
		}
		if s := file.Segments[0]; s.Start != 1 || s.Duration != 1 || s.Text != "one" {
			t.Errorf("%q: %+v, want one from 1 to 2 s", line, s)
		}
	}
}

func TestSRTKeepsTalkOfTimesAsText(t *testing.T) {
	for _, line := range []string{"12:30 --> that is the train", "12:30 - 14:00", "12:30 - 14:00 is closed", "5 - 3 is 2", "it is 12:30 -> 14:00"} {
		file, err := caption.ReadSRT(strings.NewReader("1\n00:00:01,000 --> 00:00:02,000\none\n" + line + "\n\n2\n00:00:03,000 --> 00:00:04,000\ntwo\n"))
		if err != nil || file.Lost != nil || len(file.Segments) != 2 || file.Segments[0].Text != "one\n"+line {
			t.Errorf("%q: %+v, %v; want the line as text", line, file, err)
		}
	}
}

func TestSRTCountsADamagedTimingLineAsLost(t *testing.T) {
	for _, line := range []string{"00:00:03,000 -> 00:0x:04,000", "00:00:03,000 –", "00:00:03,000 to 00:00:04,000", "00:00:03,000", "00:00:03,000 - 00:00:04,000 text"} {
		file, err := caption.ReadSRT(strings.NewReader("1\n00:00:01,000 --> 00:00:02,000\none\n\n2\n" + line + "\ntwo\n"))
		if err != nil || file.Lost == nil || !strings.Contains(file.Lost.First, "in line 6") {
			t.Errorf("%q: %+v, %v; want line 6 as lost", line, file, err)
		}
	}
}
