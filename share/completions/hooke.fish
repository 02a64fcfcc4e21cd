# fish completion for hooke
function __hooke_points
    hooke help points 2>/dev/null | tail -n +2 | string replace -r ' .*' ''
end

function __hooke_using
    test (count (commandline -opc)) -ge 2; and contains -- (commandline -opc)[2] $argv
end

function __hooke_word
    test (count (commandline -opc)) -eq 2; and __hooke_using $argv
end

complete -c hooke -f
complete -c hooke -n __fish_use_subcommand -a emit -d 'run one event through its chain'
complete -c hooke -n __fish_use_subcommand -a list -d 'list the hooks in the order they run'
complete -c hooke -n __fish_use_subcommand -a show -d 'all about one hook or point'
complete -c hooke -n __fish_use_subcommand -a plan -d 'which hooks would run at a point, and why'
complete -c hooke -n __fish_use_subcommand -a test -d 'run one hook against an event'
complete -c hooke -n __fish_use_subcommand -a replay -d 'run captured events again and show what changed'
complete -c hooke -n __fish_use_subcommand -a config -d 'check and show the configuration'
complete -c hooke -n __fish_use_subcommand -a trace -d 'look at receipts'
complete -c hooke -n __fish_use_subcommand -a state -d 'what a hook remembers of a session'
complete -c hooke -n __fish_use_subcommand -a trust -d 'let the workspace configuration be used'
complete -c hooke -n '__hooke_using trust' -s y -l yes -d 'without asking'
complete -c hooke -n '__hooke_using trust' -l full -d 'show long files whole'
complete -c hooke -n '__hooke_using trust' -l revoke -d 'trust them no more'
complete -c hooke -n '__hooke_using trust' -l list -d 'all pins of every workspace'
complete -c hooke -n '__hooke_using trust' -F
complete -c hooke -n '__hooke_using emit list show plan config doctor trust' -l trust -r -F -d 'the file of pins'
complete -c hooke -n __fish_use_subcommand -a doctor -d 'check that everything is in order'
complete -c hooke -n __fish_use_subcommand -a version -d 'print the version'
complete -c hooke -n __fish_use_subcommand -a demo -d 'watch a small session pass through hooks'
complete -c hooke -n __fish_use_subcommand -a help -d 'help of a verb, or the points'

complete -c hooke -s h -l help -d 'print help'
complete -c hooke -n '__hooke_using emit list show plan test replay config doctor' -l config -r -F -d 'instead of the user configuration'
complete -c hooke -n '__hooke_using emit list show plan test replay config doctor' -l set -x -d 'KEY=VALUE'
complete -c hooke -n '__hooke_using emit list show plan test replay config trace state trust doctor version' -l json -d 'for programs'
complete -c hooke -n '__hooke_using emit show test replay trace state' -s s -l session -x -d 'the session'
complete -c hooke -n '__hooke_using list test replay trace' -s p -l point -x -a '(__hooke_points)' -d 'of this point'
complete -c hooke -n '__hooke_using emit plan test' -l agent -x -d 'the agent of the session'

complete -c hooke -n '__hooke_word emit plan' -a '(__hooke_points)'
complete -c hooke -n '__hooke_using emit test' -s d -l data -r -d 'JSON, @FILE or -'
complete -c hooke -n '__hooke_using emit test' -l parent -x -d 'the session that started this one'
complete -c hooke -n '__hooke_using emit test' -l turn -x -d 'the turn, from 1'
complete -c hooke -n '__hooke_using emit test' -l cwd -x -a '(__fish_complete_directories)' -d 'where the session works'
complete -c hooke -n '__hooke_using emit test' -l recipe -x -d 'the recipe of the session'
complete -c hooke -n '__hooke_using emit test' -l usage -x -d 'what the session has used'
complete -c hooke -n '__hooke_using emit' -s t -l trace -d 'also print what each hook did'
complete -c hooke -n '__hooke_using list' -s a -l all -d 'also built-ins that are off'
complete -c hooke -n '__hooke_using list' -l names -d 'names only'
complete -c hooke -n '__hooke_word show' -a '(hooke list --names 2>/dev/null; __hooke_points)'
complete -c hooke -n '__hooke_using plan' -s t -l tool -x -d 'the tool'
complete -c hooke -n '__hooke_using plan' -l sub -d 'a subagent'
complete -c hooke -n '__hooke_word config' -a 'check show path'
complete -c hooke -n '__hooke_using config' -l origin -d 'where values come from'
complete -c hooke -n '__hooke_word trace' -a 'tail show'
complete -c hooke -n '__hooke_using trace' -s n -l number -x -d 'the newest N'
complete -c hooke -n '__hooke_using trace' -s f -l follow -d 'wait for more'
complete -c hooke -n '__hooke_using trace' -l capture -x -a '(__fish_complete_directories)' -d 'save events to a folder'
complete -c hooke -n '__hooke_word test' -a '(hooke list --names 2>/dev/null)'
complete -c hooke -n '__hooke_using test' -s e -l event -r -F -d 'a whole event'
complete -c hooke -n '__hooke_using test' -l force -d 'even if the event does not match'
complete -c hooke -n '__hooke_using test' -l print-event -d 'print the event and run nothing'
complete -c hooke -n '__hooke_word replay' -a '(__fish_complete_directories)'
complete -c hooke -n '__hooke_using replay' -s a -l all -d 'also unchanged ones'
complete -c hooke -n '__hooke_using replay' -l no-commands -d 'hold back hooks that start a process'
complete -c hooke -n '__hooke_word state' -a 'get set incr list clear'
complete -c hooke -n '__hooke_using state' -l hook -x -a '(hooke list --names 2>/dev/null)' -d 'the hook'
complete -c hooke -n '__hooke_word help' -a 'emit list show plan test replay config trace state trust doctor version demo points'
