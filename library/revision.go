package library

import "github.com/transcriptkit/transcriptkit/transcript"

// RevisionKind says how a revision was made.
type RevisionKind string

// The kinds.
const (
	RevisionOriginal RevisionKind = "original" // the text before the first correction
	RevisionEdit     RevisionKind = "edit"     // lines or names of speakers were changed
	RevisionImport   RevisionKind = "import"   // a file replaced the text
	RevisionRestore  RevisionKind = "restore"  // an older revision was restored
)

// Revision is a version of the text of a saved transcript.
type Revision struct {
	Number    int               `json:"number" minimum:"1"`  // grows from one revision to the next
	Kind      RevisionKind      `json:"kind"`                // how the revision was made
	CreatedAt transcript.Time   `json:"createdAt"`           // when the text was made
	Source    transcript.Origin `json:"source"`              // how the text was made, apart from corrections
	Lines     int               `json:"lines" minimum:"0"`   // lines of the text
	Changed   int               `json:"changed" minimum:"0"` // lines that are new or differ from the previous revision
}
