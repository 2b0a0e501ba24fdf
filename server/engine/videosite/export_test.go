package videosite

import (
	"github.com/transcriptkit/transcriptkit/server/engine/internal/player"
)

// Evidence is the answer of a player that names no track.
type Evidence = evidence

// EvidenceOf returns the answer of a player about the video with an id, with the page of the
// video and the error of the players before.
func EvidenceOf(by Player, id, said, page string, before error) Evidence {
	a, _ := player.Read([]byte(said)) // the test reads good answers
	return evidence{question{id: id, page: []byte(page)}, by, a, before}
}

// Proof is the table of what proves that a video has no captions.
var Proof = proof
