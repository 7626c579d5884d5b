#compdef assay
# Completion of assay for zsh.
_assay() {
    local kind line
    local -a lines described
    lines=("${(@f)$("${words[1]}" __complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
    kind=$lines[1]
    shift lines
    case $kind in
        dirs) compset -P '--*='; _files -/ ;;
        files) compset -P '--*='; _files ;;
        *)
            for line in $lines; do
                described+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
            done
            _describe -V assay described
            ;;
    esac
}
if [[ $funcstack[1] == _assay ]]; then
    _assay "$@"
else
    compdef _assay assay
fi
