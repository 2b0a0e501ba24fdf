_transcribe() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
    if [[ $cur == = ]]; then cur=
    elif [[ $prev == = ]]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi
    local word command= first=1 # first: nothing stands between the command and the cursor
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        case $command/$word in
        '') command+=/$word first=1 ;;
        *) first= ;;
        esac
    done
    local words= flags= files=
    COMPREPLY=()
    case $command in
    '')
        words='search follow' files=1
        flags='--help --server --key-file --language --format --no-timestamps --output --job --from --playlist --channel --max-items --watch --keep-media --audio-track --channels --speakers --require-whole --name --quiet --completion --version'
        case $prev in
        --server) compopt +o default 2>/dev/null; return ;;
        --key-file) return ;;
        -l|--language) compopt +o default 2>/dev/null; return ;;
        -f|--format) COMPREPLY=($(compgen -W 'txt srt vtt json md docx html csv zip' -- "$cur")); return ;;
        -o|--output) return ;;
        --job) compopt +o default 2>/dev/null; return ;;
        -a|--from) return ;;
        --playlist) compopt +o default 2>/dev/null; return ;;
        --channel) compopt +o default 2>/dev/null; return ;;
        --max-items) compopt +o default 2>/dev/null; return ;;
        --watch) return ;;
        --keep-media) compopt +o default 2>/dev/null; return ;;
        --audio-track) compopt +o default 2>/dev/null; return ;;
        --channels) COMPREPLY=($(compgen -W 'mix separate auto' -- "$cur")); return ;;
        --speakers) compopt +o default 2>/dev/null; return ;;
        --name) compopt +o default 2>/dev/null; return ;;
        --completion) COMPREPLY=($(compgen -W 'bash zsh fish' -- "$cur")); return ;;
        esac ;;
    esac
    [[ $first ]] || words=
    if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "$flags" -- "$cur"))
    elif [[ ! $files ]]; then
        compopt +o default 2>/dev/null
        COMPREPLY=($(compgen -W "$words" -- "$cur"))
    elif [[ $words ]]; then
        mapfile -t COMPREPLY < <(compgen -f -W "$words" -- "$cur")
        compopt -o filenames 2>/dev/null
    fi
}
complete -o default -F _transcribe transcribe
