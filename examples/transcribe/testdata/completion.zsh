#compdef transcribe
_transcribe() {
    _arguments -s \
        '*-h[Show context-sensitive help]' \
        '*--help[Show context-sensitive help]' \
        '*--server=[The service]:value: ' \
        '*--key-file=[Holds the API key]:file:_files' \
        '*-l+[Priority list of languages: en,de for captions, asr-en to have it recognized]:value: ' \
        '*--language=[Priority list of languages: en,de for captions, asr-en to have it recognized]:value: ' \
        '*-f+[txt: a line for each segment; srt, vtt: subtitles; json: the whole transcript; md: for notes; csv, zip: of links]:value:(txt srt vtt json md csv zip)' \
        '*--format=[txt: a line for each segment; srt, vtt: subtitles; json: the whole transcript; md: for notes; csv, zip: of links]:value:(txt srt vtt json md csv zip)' \
        '*--no-timestamps[No times in txt and md]' \
        '*-o+[Write to this file, or into this folder (one that exists, or PATH/), instead of standard output]:file:_files' \
        '*--output=[Write to this file, or into this folder (one that exists, or PATH/), instead of standard output]:file:_files' \
        '*--job=[Go on with a job that was begun before]:value: ' \
        '*-a+[Read more links and names of files from it, one a line; - reads that list from standard input]:file:_files' \
        '*--from=[Read more links and names of files from it, one a line; - reads that list from standard input]:file:_files' \
        '*--playlist=[A playlist: where a link names a video too, this one says what is meant]:value: ' \
        '*--channel=[A channel: its id, @handle or link]:value: ' \
        '*--max-items=[Only the first N items of a batch, 1 to 500]:value: ' \
        '*-q[Tell nothing but errors]' \
        '*--quiet[Tell nothing but errors]' \
        '*--completion=[Print what makes bash, zsh or fish complete this command]:value:(bash zsh fish)' \
        '*--version[Print the version]' \
        '*:link or file:_files'
}
if [[ $funcstack[1] == _transcribe ]]; then _transcribe "$@"; else compdef _transcribe transcribe; fi
