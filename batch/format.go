package batch

// ExportFormat is what a batch is exported as.
type ExportFormat string

// The formats of an export.
const (
	TXT  ExportFormat = "txt"  // all texts, one after another
	CSV  ExportFormat = "csv"  // a row for each segment
	JSON ExportFormat = "json" // the batch, its items and their transcripts
	SRT  ExportFormat = "srt"  // subtitles: the file itself where there is one text, else an archive
	VTT  ExportFormat = "vtt"  // the same as WebVTT
	ZIP  ExportFormat = "zip"  // an archive with each text in four formats, a list and the errors
)

// ExportFormats lists every format.
func ExportFormats() []ExportFormat { return []ExportFormat{TXT, CSV, JSON, SRT, VTT, ZIP} }
