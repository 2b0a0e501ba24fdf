package batch

// ExportFormat is the file format of an export. docs/reference/batches.md lists the
// media types. The value is also the ending of the file's name.
type ExportFormat string

// The formats of an export. Each contains the texts of the items that have succeeded.
const (
	// TXT is one plain text: all transcripts one after another, each below its title.
	TXT ExportFormat = "txt"
	// CSV is a table with a row for each segment of each transcript.
	CSV ExportFormat = "csv"
	// JSON is an object with the batch, all its items and their transcripts.
	JSON ExportFormat = "json"
	// SRT is SubRip subtitles: one file if there is a single transcript, otherwise a
	// ZIP archive with a file for each.
	SRT ExportFormat = "srt"
	// VTT is WebVTT subtitles, in a file or an archive as for SRT.
	VTT ExportFormat = "vtt"
	// ZIP is an archive that holds each transcript in four formats, a list of the items,
	// and the errors.
	ZIP ExportFormat = "zip"
)

// ExportFormats returns all formats.
func ExportFormats() []ExportFormat { return []ExportFormat{TXT, CSV, JSON, SRT, VTT, ZIP} }
