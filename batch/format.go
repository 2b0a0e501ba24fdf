package batch

// Format is what a batch is exported as.
type Format string

// The formats of an export.
const (
	TXT  Format = "txt"  // all texts, one after another
	CSV  Format = "csv"  // a row for each segment
	JSON Format = "json" // the batch, its items and their transcripts
	SRT  Format = "srt"  // subtitles: the file itself where there is one text, else an archive
	VTT  Format = "vtt"  // the same as WebVTT
	ZIP  Format = "zip"  // an archive with each text in four formats, a list and the errors
)

// Formats lists every format.
func Formats() []Format { return []Format{TXT, CSV, JSON, SRT, VTT, ZIP} }
