# bash completion for hooke
_hooke()
{
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local verb=${COMP_WORDS[1]-} scope="--config --trust --set" words=""

    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        words="run chat recipe conversation emit answer list show plan test replay config trace state trust install uninstall serve doctor version demo help"
        mapfile -t COMPREPLY < <(compgen -W "$words --help --version" -- "$current")
        return
    fi
    case $previous in
    --config | --cwd | --trust | --event | -e | --capture | --socket)
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
        return
        ;;
    --point | -p)
        mapfile -t COMPREPLY < <(compgen -W "$(_hooke_points)" -- "$current")
        return
        ;;
    --recipe | -r)
        mapfile -t COMPREPLY < <(compgen -W "$(_hooke_recipes)" -- "$current")
        return
        ;;
    --hook)
        mapfile -t COMPREPLY < <(compgen -W "$(hooke list --names 2>/dev/null)" -- "$current")
        return
        ;;
    esac
    if [[ $current == -* ]]; then
        case $verb in
        run) words="--recipe --arg --follow --resume --agent --model --variant --max-turns --allow --compact-ratio --no-auto-compact --no-hooks --thinking --no-save --cwd --json $scope" ;;
        chat) words="--follow --resume --agent --model --variant --max-turns --allow --compact-ratio --no-auto-compact --no-hooks --thinking --cwd $scope" ;;
        recipe) words="--arg --run --cwd --json $scope" ;;
        conversation) words="--search --all --limit --markdown --generation --generations --yes --force --new-id --json $scope" ;;
        emit) words="--data --session --agent --parent --turn --cwd --recipe --usage --trace --json $scope" ;;
        list) words="--point --all --names --json $scope" ;;
        show) words="--session --json $scope" ;;
        plan) words="--tool --agent --sub --json $scope" ;;
        test) words="--point --data --event --session --agent --parent --turn --cwd --recipe --usage --force --print-event --json $scope" ;;
        replay) words="--session --point --all --no-commands --json $scope" ;;
        config) words="--origin --json $scope" ;;
        trace) words="--number --session --point --follow --capture --sort --json" ;;
        state) words="--session --hook --json" ;;
        trust) words="--yes --full --revoke --list --trust --json" ;;
        install | uninstall) words="claude codex gemini opencode --project --yes --dry-run --json" ;;
        serve) words="--socket --idle --status --stop --json" ;;
        doctor) words="claude codex gemini opencode --verify --json $scope" ;;
        version) words="--json" ;;
        esac
        mapfile -t COMPREPLY < <(compgen -W "$words --help" -- "$current")
        return
    fi
    if [[ $verb == trust ]]; then
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
        return
    fi
    if [[ $verb == recipe && $COMP_CWORD == 3 && $previous == show ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_hooke_recipes)" -- "$current")
        return
    fi
    ((COMP_CWORD == 2)) || return
    case $verb in
    emit | plan) words=$(_hooke_points) ;;
    show) words=$(hooke list --names 2>/dev/null; _hooke_points) ;;
    answer) words="claude codex gemini" ;;
    recipe) words="list show" ;;
    conversation) words="list show fork delete export import restore rename" ;;
    test) words=$(hooke list --names 2>/dev/null) ;;
    replay)
        mapfile -t COMPREPLY < <(compgen -d -- "$current")
        return
        ;;
    config) words="check show path" ;;
    trace) words="tail show top why" ;;
    state) words="get set incr list clear" ;;
    help) words="run chat recipe conversation emit answer list show plan test replay config trace state trust install uninstall serve doctor version demo points" ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}

_hooke_points()
{
    hooke help points 2>/dev/null | while read -r name _; do
        [[ $name == POINT ]] || printf '%s\n' "$name"
    done
}

_hooke_recipes()
{
    hooke recipe list 2>/dev/null | while read -r name _; do
        [[ $name == NAME ]] || printf '%s\n' "$name"
    done
}

complete -F _hooke hooke
