package library

// DownloadFormat is what a saved transcript is downloaded as.
type DownloadFormat string

// The formats of a download.
const (
	TXT  DownloadFormat = "txt"
	SRT  DownloadFormat = "srt"
	VTT  DownloadFormat = "vtt"
	JSON DownloadFormat = "json"
	MD   DownloadFormat = "md"
)

// DownloadFormats lists every format.
func DownloadFormats() []DownloadFormat { return []DownloadFormat{TXT, SRT, VTT, JSON, MD} }
