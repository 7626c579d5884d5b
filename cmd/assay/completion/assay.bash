# Completion of assay for bash.
_assay() {
    local kind='' word means cur="${COMP_WORDS[COMP_CWORD]}"
    [[ $cur == '=' ]] && cur=''
    COMPREPLY=()
    while IFS=$'\t' read -r word means; do
        if [[ -z $kind ]]; then
            kind=$word
        else
            COMPREPLY+=("$(printf '%q' "$word")")
        fi
    done < <("${COMP_WORDS[0]}" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    local action=''
    case $kind in
        dirs) action=-d ;;
        files) action=-f ;;
    esac
    if [[ -n $action ]]; then
        compopt -o filenames 2>/dev/null
        while IFS= read -r word; do
            COMPREPLY+=("$word")
        done < <(compgen "$action" -- "$cur")
    fi
}
complete -F _assay assay
