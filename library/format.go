package library

// DownloadFormat is the file format of a download.
type DownloadFormat string

// The formats of a download.
const (
	TXT  DownloadFormat = "txt"
	SRT  DownloadFormat = "srt"
	VTT  DownloadFormat = "vtt"
	JSON DownloadFormat = "json"
	MD   DownloadFormat = "md"
	// VTTWords is VTT with the time of each word, where the words have times.
	VTTWords DownloadFormat = "vtt-words"
	// Podcast is the JSON of the tag podcast:transcript of podcasts.
	Podcast DownloadFormat = "podcast"
)

// DownloadFormats returns all formats.
func DownloadFormats() []DownloadFormat {
	return []DownloadFormat{TXT, SRT, VTT, JSON, MD, VTTWords, Podcast}
}
