# Completion of sensorctl in bash; the names of resources come from the running broker.

_sensorctl_resources() {
    local IFS=$'\n' options=()
    local index
    for ((index = 1; index < COMP_CWORD; index++)); do
        case ${COMP_WORDS[index]} in
        --socket | --instance) options=("${COMP_WORDS[index]}" "${COMP_WORDS[index + 1]#=}") ;;
        esac
    done
    sensorctl list --format csv --timeout 2s "${options[@]}" 2>/dev/null | sed '1d;s/,.*//'
}

_sensorctl_faults='unplug replug gpsd-restart stall late drop overflow lie refuse no-fix satellites jump utc-back week-rollover clear'

# The first word that is a command.
_sensorctl_command() {
    local index
    for ((index = 1; index < COMP_CWORD; index++)); do
        case ${COMP_WORDS[index]} in
        --socket | --instance | --timeout | --format) ((index++)) ;;
        -*) ;;
        *)
            printf '%s' "${COMP_WORDS[index]}"
            return
            ;;
        esac
    done
}

_sensorctl() {
    local cur prev words cword
    _init_completion -s -n := || return
    local commands='list get watch record import export set doctor status release reacquire reload mock'
    local common='--socket --instance --timeout --format --help --version'
    local command
    command=$(_sensorctl_command)

    case $prev in
    --socket)
        _filedir
        return
        ;;
    --format) COMPREPLY=($(compgen -W 'text json csv' -- "$cur")) && return ;;
    --filter) COMPREPLY=($(compgen -W 'newest mean' -- "$cur")) && return ;;
    --kind) COMPREPLY=($(compgen -W 'location acceleration' -- "$cur")) && return ;;
    --from) COMPREPLY=($(compgen -W 'nmea gpx csv' -- "$cur")) && return ;;
    --to) COMPREPLY=($(compgen -W 'gpx csv kml geojson' -- "$cur")) && return ;;
    --instance | --timeout | --interval | --rate | --batch | --min-change | --count | --for | --max-size | --columns) return ;;
    esac

    if [[ $cur == -* ]]; then
        case $command in
        get | watch | status) common+=' --utc' ;;&
        get | watch) common+=' --satellites' ;;&
        get) common+=' --wait' ;;
        status) common+=' --wide' ;;
        watch) common+=' --verbose --reconnect --no-reconnect' ;;&
        watch | record | set) common+=' --interval --rate --batch --filter --min-change' ;;&
        watch | record) common+=' --count --for' ;;&
        record) common+=' --max-size' ;;
        import) common+=' --from --columns --interval --resource --force' ;;
        export) common+=' --to --resource --force' ;;
        release) common+=' --kind --all --for' ;;
        mock) common+=' --for' ;;
        reacquire) common+=' --kind --all' ;;
        esac
        COMPREPLY=($(compgen -W "$common" -- "$cur"))
        return
    fi

    case $command in
    '') COMPREPLY=($(compgen -W "$commands" -- "$cur")) ;;
    import | export) _filedir ;;
    mock) COMPREPLY=($(compgen -W "$_sensorctl_faults $(_sensorctl_resources)" -- "$cur")) ;;
    get | release | reacquire) COMPREPLY=($(compgen -W "$(_sensorctl_resources)" -- "$cur")) ;;
    watch | set)
        # An interval may follow.
        compopt -o nospace 2>/dev/null
        COMPREPLY=($(compgen -W "$(_sensorctl_resources)" -- "$cur"))
        ;;
    record)
        _filedir
        COMPREPLY+=($(compgen -W "$(_sensorctl_resources)" -- "$cur"))
        ;;
    esac
    __ltrim_colon_completions "$cur"
} &&
    complete -F _sensorctl sensorctl
