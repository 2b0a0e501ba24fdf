#compdef transcribe
_transcribe() {
    _arguments -s -C \
        '*-h[Show context-sensitive help]' \
        '*--help[Show context-sensitive help]' \
        '*--server=[The address of the service]:value: ' \
        '*--key-file=[A file with the API key]:file:_files' \
        '*-l+[Priority list of languages: en,de for captions, asr-en for speech recognition]:value: ' \
        '*--language=[Priority list of languages: en,de for captions, asr-en for speech recognition]:value: ' \
        '*-f+[txt: a line for each segment; srt, vtt: subtitles; json: the whole transcript; md: for notes; docx: for word processors; html: to print, also as PDF; csv, zip: of links]:value:(txt srt vtt json md docx html csv zip)' \
        '*--format=[txt: a line for each segment; srt, vtt: subtitles; json: the whole transcript; md: for notes; docx: for word processors; html: to print, also as PDF; csv, zip: of links]:value:(txt srt vtt json md docx html csv zip)' \
        '*--no-timestamps[No times in txt and md]' \
        '*-o+[Write to this file, or into this folder (one that exists, or PATH/), instead of standard output]:file:_files' \
        '*--output=[Write to this file, or into this folder (one that exists, or PATH/), instead of standard output]:file:_files' \
        '*--job=[Continue with an earlier job or batch]:value: ' \
        '*-a+[Read more links and file names from this file, one a line; - reads the list from standard input]:file:_files' \
        '*--from=[Read more links and file names from this file, one a line; - reads the list from standard input]:file:_files' \
        '*--playlist=[A playlist, also if the link names a video too]:value: ' \
        '*--channel=[A channel: its id, @handle or link]:value: ' \
        '*--max-items=[Only the first N items of a batch, 1 to 500]:value: ' \
        '*--watch=[Transcribe the recordings in this folder and all that come, and write each text next to its recording]:file:_files' \
        '*--keep-media=[Have the service keep each recording, for days as in 30d or for a time as in 36h]:value: ' \
        '*--audio-track=[The audio track of a file with several: its number or its language]:value: ' \
        '*--channels=[separate: recognize each channel by itself and name its speaker by the channel; auto: do so if the channels are different voices]:value:(mix separate auto)' \
        '*--speakers=[How many people speak, 1 to 20; auto: the service finds out; none: do not tell who speaks]:value: ' \
        '*--require-whole[Refuse a recording that ends too early]' \
        '*--name=[Only recordings with such a name, as in '\''talk-*.mp3'\'' (--watch)]:value: ' \
        '*-q[Print only errors]' \
        '*--quiet[Print only errors]' \
        '*--completion=[Print the completion code for bash, zsh or fish]:value:(bash zsh fish)' \
        '*--version[Print the version]' \
        '1: :_alternative "words:word:(search follow)" "files:file:_files"' \
        '*:file:_files'
}
if [[ $funcstack[1] == _transcribe ]]; then _transcribe "$@"; else compdef _transcribe transcribe; fi
