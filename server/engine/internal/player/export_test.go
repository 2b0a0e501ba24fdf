package player

import "slices"

// Statement is an answer to a question about the video with an id.
type Statement = statement

// StatementOf returns the answer to a question about the video with an id.
func StatementOf(a *Answer, id string) Statement { return statement{a, id} }

// Proof is the whole table of what proves that a video has no captions.
var Proof = slices.Concat(played, none)
