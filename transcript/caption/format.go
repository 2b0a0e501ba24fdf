package caption

// Format is a format of caption files. The zero value is no format.
type Format string

// The formats that can be read.
const (
	FormatWebVTT  Format = "webvtt"  // W3C WebVTT: see [WebVTT]
	FormatSRT     Format = "srt"     // SubRip: see [SRT]
	FormatSBV     Format = "sbv"     // the studio of a video site: see [SBV]
	FormatASS     Format = "ass"     // (Advanced) SubStation Alpha: see [ASS]
	FormatTTML    Format = "ttml"    // W3C TTML and its profiles: see [TTML]
	FormatSRV1    Format = "srv1"    // a video site's <transcript>: see [SRV1]
	FormatSRV3    Format = "srv3"    // a video site's <timedtext>, format 3 or none (srv2): see [SRV3]
	FormatJSON3   Format = "json3"   // the same as JSON: see [JSON3]
	FormatPodcast Format = "podcast" // the JSON of podcast:transcript: see [Podcast]
	FormatWhisper Format = "whisper" // the JSON of Whisper: see [Whisper]
)

// formats lists the formats that can be read.
func formats() []Format {
	return []Format{FormatWebVTT, FormatSRT, FormatSBV, FormatASS, FormatTTML, FormatSRV1, FormatSRV3, FormatJSON3, FormatPodcast, FormatWhisper}
}
