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
complete -c hooke -n __fish_use_subcommand -a run -d 'let an agent do something'
complete -c hooke -n __fish_use_subcommand -a chat -d 'the same at the terminal'
complete -c hooke -n __fish_use_subcommand -a conversation -d 'what was said in sessions'
complete -c hooke -n __fish_use_subcommand -a emit -d 'run one event through its chain'
complete -c hooke -n __fish_use_subcommand -a list -d 'list the hooks in the order they run'
complete -c hooke -n __fish_use_subcommand -a show -d 'all about one hook or point'
complete -c hooke -n __fish_use_subcommand -a plan -d 'which hooks would run at a point, and why'
complete -c hooke -n __fish_use_subcommand -a config -d 'check and show the configuration'
complete -c hooke -n __fish_use_subcommand -a trace -d 'look at receipts'
complete -c hooke -n __fish_use_subcommand -a state -d 'what a hook remembers of a session'
complete -c hooke -n __fish_use_subcommand -a trust -d 'let the workspace configuration be used'
complete -c hooke -n '__hooke_using trust' -s y -l yes -d 'without asking'
complete -c hooke -n __fish_use_subcommand -a doctor -d 'check that everything is in order'
complete -c hooke -n __fish_use_subcommand -a version -d 'print the version'
complete -c hooke -n __fish_use_subcommand -a demo -d 'watch a small session pass through hooks'
complete -c hooke -n __fish_use_subcommand -a help -d 'help of a verb, or the points'

complete -c hooke -s h -l help -d 'print help'
complete -c hooke -n '__hooke_using run chat conversation emit list show plan config doctor' -l config -r -F -d 'instead of the user configuration'
complete -c hooke -n '__hooke_using run chat conversation emit list show plan config doctor' -l set -x -d 'KEY=VALUE'
complete -c hooke -n '__hooke_using run conversation emit list show plan config trace state trust doctor version' -l json -d 'for programs'
complete -c hooke -n '__hooke_using emit show trace state' -s s -l session -x -d 'the session'
complete -c hooke -n '__hooke_using list trace' -s p -l point -x -a '(__hooke_points)' -d 'of this point'
complete -c hooke -n '__hooke_using run chat emit plan' -l agent -x -d 'the agent of the session'

complete -c hooke -n '__hooke_word emit plan' -a '(__hooke_points)'
complete -c hooke -n '__hooke_using emit' -s d -l data -r -d 'JSON, @FILE or -'
complete -c hooke -n '__hooke_using emit' -l parent -x -d 'the session that started this one'
complete -c hooke -n '__hooke_using emit' -l turn -x -d 'the turn, from 1'
complete -c hooke -n '__hooke_using run chat emit' -l cwd -x -a '(__fish_complete_directories)' -d 'where the session works'
complete -c hooke -n '__hooke_using emit' -l recipe -x -d 'the recipe of the session'
complete -c hooke -n '__hooke_using emit' -l usage -x -d 'what the session has used'
complete -c hooke -n '__hooke_using emit' -s t -l trace -d 'also print what each hook did'
complete -c hooke -n '__hooke_using run chat' -s f -l follow -d 'go on with the newest conversation'
complete -c hooke -n '__hooke_using run chat' -l resume -x -d 'go on with this conversation'
complete -c hooke -n '__hooke_using run chat' -s m -l model -x -d 'provider/model'
complete -c hooke -n '__hooke_using run chat' -l variant -x -d 'how hard it thinks'
complete -c hooke -n '__hooke_using run chat' -l max-turns -x -d 'give up after so many requests'
complete -c hooke -n '__hooke_using run chat' -l allow -x -d 'consent to a tool beforehand'
complete -c hooke -n '__hooke_using run chat' -l thinking -d 'show what the model thinks'
complete -c hooke -n '__hooke_using run' -l no-save -d 'store nothing'
complete -c hooke -n '__hooke_word conversation' -a 'list show fork delete export import restore rename'
complete -c hooke -n '__hooke_using conversation' -s s -l search -x -d 'with this text'
complete -c hooke -n '__hooke_using conversation' -s a -l all -d 'of every workspace'
complete -c hooke -n '__hooke_using conversation' -s n -l limit -x -d 'the newest N'
complete -c hooke -n '__hooke_using conversation' -l markdown -d 'as Markdown'
complete -c hooke -n '__hooke_using conversation' -s g -l generation -x -d 'not the newest'
complete -c hooke -n '__hooke_using conversation' -s y -l yes -d 'without asking'
complete -c hooke -n '__hooke_using conversation' -l force -d 'replace the one that is there'
complete -c hooke -n '__hooke_using conversation' -l new-id -d 'as another conversation'
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
complete -c hooke -n '__hooke_word state' -a 'get set incr list clear'
complete -c hooke -n '__hooke_using state' -l hook -x -a '(hooke list --names 2>/dev/null)' -d 'the hook'
complete -c hooke -n '__hooke_word help' -a 'run chat conversation emit list show plan config trace state trust doctor version demo points'
