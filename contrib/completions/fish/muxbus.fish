# SPDX-License-Identifier: ISC
# Completion of muxbus for fish: `muxbus complete` lists the possible words.

function __muxbus_complete
    set -l before (commandline -opc)
    set -l found (command $before[1] complete -- $before[2..-1] (commandline -ct) 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end

complete -c muxbus -f -a '(__muxbus_complete)'
