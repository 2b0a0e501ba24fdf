package text

import (
	"encoding/json"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// provenance is the part of a text's metadata about its making. A value of another type counts
// as missing.
type provenance struct {
	TrackKind   transcript.TrackKind
	TrackName   string
	LostCues    int
	Prompted    bool
	Recognizers []recognizer // if several took part
	Tried       []tried
	Gaps        int
}

type recognizer struct{ Engine, Model, Quality, Language string }

type tried struct {
	Source transcript.Origin
	Code   transcript.Code
	Reason string
}

func provenanceOf(t *transcript.Transcript) provenance {
	var p provenance
	for member, value := range t.Metadata {
		into := map[string]any{
			"trackKind": &p.TrackKind, "trackName": &p.TrackName, "lostCues": &p.LostCues, "prompted": &p.Prompted,
			"recognizers": &p.Recognizers, "tried": &p.Tried,
		}[member]
		if told, err := json.Marshal(value); into != nil && err == nil {
			_ = json.Unmarshal(told, into) // see provenance
		}
	}
	p.Gaps = len(gapsOf(t))
	return p
}
