function __transcribe_at
    set -l at
    set -l first 1
    for word in (commandline -opc)[2..]
        set first 0
        if contains -- "$at/$word"
            set at "$at/$word"
            set first 1
        end
    end
    test "$at" = "$argv[1]"; and test $first -ge "$argv[2]"
end
complete -c transcribe -n '__transcribe_at "" 1' -a search -d 'Search the saved texts'
complete -c transcribe -n '__transcribe_at "" 1' -a follow -d 'Follow a channel, a playlist or a feed'
complete -c transcribe -n '__transcribe_at "" 0' -s h -l help -d 'Show context-sensitive help'
complete -c transcribe -n '__transcribe_at "" 0' -l server -x -d 'The address of the service'
complete -c transcribe -n '__transcribe_at "" 0' -l key-file -r -d 'A file with the API key'
complete -c transcribe -n '__transcribe_at "" 0' -s l -l language -x -d 'Priority list of languages: en,de for captions, asr-en for speech recognition'
complete -c transcribe -n '__transcribe_at "" 0' -s f -l format -x -a 'txt srt vtt json md docx html csv zip' -d 'txt: a line for each segment; srt, vtt: subtitles; json: the whole transcript; md: for notes; docx: for word processors; html: to print, also as PDF; csv, zip: of links'
complete -c transcribe -n '__transcribe_at "" 0' -l no-timestamps -d 'No times in txt and md'
complete -c transcribe -n '__transcribe_at "" 0' -s o -l output -r -d 'Write to this file, or into this folder (one that exists, or PATH/), instead of standard output'
complete -c transcribe -n '__transcribe_at "" 0' -l job -x -d 'Continue with an earlier job or batch'
complete -c transcribe -n '__transcribe_at "" 0' -s a -l from -r -d 'Read more links and file names from this file, one a line; - reads the list from standard input'
complete -c transcribe -n '__transcribe_at "" 0' -l playlist -x -d 'A playlist, also if the link names a video too'
complete -c transcribe -n '__transcribe_at "" 0' -l channel -x -d 'A channel: its id, @handle or link'
complete -c transcribe -n '__transcribe_at "" 0' -l max-items -x -d 'Only the first N items of a batch, 1 to 500'
complete -c transcribe -n '__transcribe_at "" 0' -l watch -r -d 'Transcribe the recordings in this folder and all that come, and write each text next to its recording'
complete -c transcribe -n '__transcribe_at "" 0' -l keep-media -x -d 'Have the service keep each recording, for days as in 30d or for a time as in 36h'
complete -c transcribe -n '__transcribe_at "" 0' -l audio-track -x -d 'The audio track of a file with several: its number or its language'
complete -c transcribe -n '__transcribe_at "" 0' -l channels -x -a 'mix separate auto' -d 'separate: recognize each channel by itself and name its speaker by the channel; auto: do so if the channels are different voices'
complete -c transcribe -n '__transcribe_at "" 0' -l speakers -x -d 'How many people speak, 1 to 20; auto: the service finds out; none: do not tell who speaks'
complete -c transcribe -n '__transcribe_at "" 0' -l require-whole -d 'Refuse a recording that ends too early'
complete -c transcribe -n '__transcribe_at "" 0' -l name -x -d 'Only recordings with such a name, as in \'talk-*.mp3\' (--watch)'
complete -c transcribe -n '__transcribe_at "" 0' -s q -l quiet -d 'Print only errors'
complete -c transcribe -n '__transcribe_at "" 0' -l completion -x -a 'bash zsh fish' -d 'Print the completion code for bash, zsh or fish'
complete -c transcribe -n '__transcribe_at "" 0' -l version -d 'Print the version'
