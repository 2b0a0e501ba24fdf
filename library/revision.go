package library

import "github.com/transcriptkit/transcriptkit/transcript"

// RevisionKind says how a revision of a saved transcript came about.
type RevisionKind string

// The kinds.
const (
	RevisionOriginal RevisionKind = "original" // the text before the first correction
	RevisionEdit     RevisionKind = "edit"     // lines or names of speakers were changed
	RevisionImport   RevisionKind = "import"   // a file took the place of the text
	RevisionRestore  RevisionKind = "restore"  // an older revision was taken again
)

// Revision is a text that a saved transcript has had since its first correction.
type Revision struct {
	Number    int               `json:"number" minimum:"1"`  // grows from one revision to the next
	Kind      RevisionKind      `json:"kind"`                // how the text came about
	CreatedAt transcript.Time   `json:"createdAt"`           // when the text was made
	Source    transcript.Origin `json:"source"`              // what made the text, apart from corrections
	Lines     int               `json:"lines" minimum:"0"`   // lines of the text
	Changed   int               `json:"changed" minimum:"0"` // lines that are new or differ from the revision before
}
