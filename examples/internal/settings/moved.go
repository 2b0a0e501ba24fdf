package settings

import "github.com/transcriptkit/transcriptkit/examples/internal/commandline"

// Moved are the flags that have become members of the files of --links and --recognizers.
func Moved() []commandline.Moved {
	return []commandline.Moved{
		{Flag: "sites", File: "links", Member: "sites"},
		{Flag: "js-runtime", File: "links", Member: "jsRuntime"},
		{Flag: "proxy", File: "links", Member: "exits"},
		{Flag: "proxy-by-name", File: "links", Member: "exits[].byName"},
		{Flag: "exits", File: "links", Member: "exits"},
		{Flag: "pace", File: "links", Member: "pace"},
		{Flag: "players", File: "links", Member: "players"},
		{Flag: "player", File: "links", Member: "players"},
		{Flag: "yt-dlp-plugins", File: "links", Member: "ytDlp.plugins"},
		{Flag: "yt-dlp-extractor-args", File: "links", Member: "ytDlp.extractorArgs"},
		{Flag: "token-provider", File: "links", Member: "tokenProvider"},
		{Flag: "cookies", File: "links", Member: "cookies"},
		{Flag: "when-captions-blocked", File: "links", Member: "recognizeBlockedAfterSec"},
		{Flag: "data-api-key-file", File: "links", Member: "dataAPI.keyFile"},
		{Flag: "data-api-url", File: "links", Member: "dataAPI.url"},
		{Flag: "asr-model", File: "recognizers", Member: "openai.model"},
		{Flag: "asr-key-file", File: "recognizers", Member: "openai.keyFile"},
		{Flag: "asr-speakers", File: "recognizers", Member: "openai.speakers"},
		{Flag: "asr-upload-limit", File: "recognizers", Member: "openai.uploadLimitBytes"},
		{Flag: "asr-check-timeout", File: "recognizers", Member: "openai.checkTimeoutSec"},
		{Flag: "faster-whisper", File: "recognizers", Member: "fasterWhisper"},
		{Flag: "whisper-cli", File: "recognizers", Member: "whisperCLI"},
	}
}
