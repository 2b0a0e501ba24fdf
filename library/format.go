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
	// DOCX is a document of Office Open XML, for word processors.
	DOCX DownloadFormat = "docx"
	// HTML is a page in one file, which a browser prints on paper or as PDF.
	HTML DownloadFormat = "html"
)

// The formats of files that can be imported and not downloaded.
const (
	SBV     DownloadFormat = "sbv"     // the download of a video site's studio
	ASS     DownloadFormat = "ass"     // (Advanced) SubStation Alpha: ASS or SSA
	Whisper DownloadFormat = "whisper" // the JSON of Whisper
)

// DownloadFormats returns all formats.
func DownloadFormats() []DownloadFormat {
	return []DownloadFormat{TXT, SRT, VTT, JSON, MD, VTTWords, Podcast, LRC, DOCX, HTML}
}

// MediaType returns the media type of a file in the format, with the charset of texts. It is
// empty for a format that cannot be downloaded.
func (f DownloadFormat) MediaType() string {
	switch f {
	case TXT, LRC:
		return "text/plain; charset=utf-8"
	case SRT:
		return "application/x-subrip; charset=utf-8"
	case VTT, VTTWords:
		return "text/vtt; charset=utf-8"
	case JSON, Podcast:
		return "application/json; charset=utf-8"
	case MD:
		return "text/markdown; charset=utf-8"
	case DOCX:
		return "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
	case HTML:
		return "text/html; charset=utf-8"
	}
	return ""
}

// Extension returns how the name of a file in the format ends, without the dot.
func (f DownloadFormat) Extension() string {
	switch f {
	case VTTWords:
		return "words.vtt"
	case Podcast:
		return "podcast.json"
	}
	return string(f)
}
