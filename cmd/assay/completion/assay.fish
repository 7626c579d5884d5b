# Completion of assay for fish.
function __assay_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l lines ($words[1] __complete $words[2..] "$current" 2>/dev/null)
    set -l before (string match -r -- '^--[^=]*=' "$current")
    set -l path (string replace -r -- '^--[^=]*=' '' "$current")
    switch "$lines[1]"
        case dirs
            for p in (__fish_complete_directories "$path")
                echo "$before$p"
            end
        case files
            for p in (__fish_complete_path "$path")
                echo "$before$p"
            end
        case '*'
            printf '%s\n' $lines[2..]
    end
end
complete -c assay -f -a '(__assay_complete)'
