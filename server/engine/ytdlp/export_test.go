package ytdlp

import (
	"encoding/json"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/internal/player"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Evidence is what a run has left that lists no tracks.
type Evidence = evidence

// EvidenceOf returns what a run has left about the content "x": its description, its complaints,
// the kept pages, and why its release is not trusted.
func EvidenceOf(info, complaints string, pages []string, distrust error) Evidence {
	m := new(media)
	if err := json.Unmarshal([]byte(info), m); err != nil {
		panic(err) // the test writes JSON
	}
	m.content, m.exit = engine.Content{Platform: transcript.VideoSite, ExternalID: "x", URL: "http://site.example/x"}, engine.Exit{Stderr: []byte(complaints)}
	e := evidence{media: m, distrust: distrust}
	for _, page := range pages {
		if a, ok := player.Read([]byte(page)); ok {
			e.answers = append(e.answers, a)
		}
	}
	return e
}

// The tables of what proves that a content has no captions.
var (
	ProofByPage    = proofByPage
	ProofElsewhere = proofElsewhere
)

// Tested returns the releases whose silence counts without the suite.
func Tested() (all []string) {
	for _, v := range tested {
		all = append(all, string(v))
	}
	return all
}
