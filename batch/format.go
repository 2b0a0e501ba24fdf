package batch

// ExportFormat is what a batch is exported as. Each value has its media type in
// docs/reference/batches.md, and the name of the file its ending.
type ExportFormat string

// The formats of an export. Each holds the texts of the items that succeeded.
const (
	// TXT is one plain text: all transcripts one after another, each below its title.
	TXT ExportFormat = "txt"
	// CSV is a table with a row for each segment of each transcript.
	CSV ExportFormat = "csv"
	// JSON is the batch, all its items and their transcripts.
	JSON ExportFormat = "json"
	// SRT is SubRip subtitles: a file for a single transcript, a ZIP archive with a file
	// for each of several.
	SRT ExportFormat = "srt"
	// VTT is WebVTT subtitles, in a file or an archive as for SRT.
	VTT ExportFormat = "vtt"
	// ZIP is an archive that holds each transcript in four formats, a list of the items,
	// and the errors.
	ZIP ExportFormat = "zip"
)

// ExportFormats lists every format.
func ExportFormats() []ExportFormat { return []ExportFormat{TXT, CSV, JSON, SRT, VTT, ZIP} }
