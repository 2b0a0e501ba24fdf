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
	// LRC is the format of song texts: a time before each line.
	LRC DownloadFormat = "lrc"
)

// The formats of files that can be imported and not downloaded.
const (
	SBV     DownloadFormat = "sbv"     // the download of a video site's studio
	ASS     DownloadFormat = "ass"     // (Advanced) SubStation Alpha: ASS or SSA
	Whisper DownloadFormat = "whisper" // the JSON of Whisper
)

// DownloadFormats returns all formats.
func DownloadFormats() []DownloadFormat {
	return []DownloadFormat{TXT, SRT, VTT, JSON, MD, VTTWords, Podcast, LRC}
}
