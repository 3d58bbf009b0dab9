# Completion of sensorctl in bash, written by 'make generated'. The names of resources come from the running broker.

# bash splits --socket=PATH into three words; in `words` it is one, with its marks of quotation.
_sensorctl_resources() {
    local IFS=$'\n' options=() marks=$'[\\\\\'"]'
    local index
    for ((index = 1; index < cword; index++)); do
        case ${words[index]} in
        --socket | --instance)
            options=("${words[index]}" "${words[index + 1]}")
            [[ ${options[1]} != '~/'* ]] || options[1]=$HOME${options[1]:1}
            ;;
        --socket=* | --instance=*) options=("${words[index]}") ;;
        esac
    done
    sensorctl list --format csv --timeout 2s "${options[@]//$marks/}" 2>/dev/null | sed '1d;s/,.*//'
}

# The options behind the name of a resource; fails where there is none yet.
_sensorctl_options() {
    [[ $1 == *,* ]] || return
    [[ ${1##*,} == *=* ]] || COMPREPLY=($(compgen -P "${1%,*}," -W 'batch= filter= min= satellites' -- "${1##*,}"))
}

# The first word that is a command.
_sensorctl_command() {
    local index
    for ((index = 1; index < cword; index++)); do
        case ${words[index]} in
        --socket | --instance | --timeout | --format | --interval | --rate | --batch | --filter | --min-change | --align-to | --count | --for | --columns | --max-size | --rotate | --rotate-size | --keep | --max-total | --from | --resource | --to | --output | -o | --picture | --title | --name | --exec | --description | --rest | --server | --host | --hold | --config | --prefix | --user | --password-file | --authority | --certificate | --key | --protocol | --textfile | --kind) ((index++)) ;;
        -*) ;;
        *)
            printf '%s' "${words[index]}"
            return
            ;;
        esac
    done
}

_sensorctl() {
    local cur prev words cword
    _init_completion -s -n := || return
    local commands='list get watch top record import export plot feed fleet set doctor metrics help status calibrate release reacquire disconnect reload mock'
    local options='--socket --instance --timeout --format --help --version'
    local command
    command=$(_sensorctl_command)

    case $prev in
    --socket) _filedir && return ;;
    --format) COMPREPLY=($(compgen -W 'text json csv nmea mcap' -- "$cur")) && return ;;
    --filter) COMPREPLY=($(compgen -W 'newest mean' -- "$cur")) && return ;;
    --align-to) COMPREPLY=($(compgen -W "$(_sensorctl_resources)" -- "$cur")) && return ;;
    --from) COMPREPLY=($(compgen -W 'csv gpx nmea kml garmin_fit gtrnctr igc geojson unicsv' -- "$cur")) && return ;;
    --resource) COMPREPLY=($(compgen -W "$(_sensorctl_resources)" -- "$cur")) && return ;;
    --to) COMPREPLY=($(compgen -W 'gpx csv kml geojson mcap ndjson' -- "$cur")) && return ;;
    --output | -o) _filedir && return ;;
    --config) _filedir && return ;;
    --password-file) _filedir && return ;;
    --authority) _filedir && return ;;
    --certificate) _filedir && return ;;
    --key) _filedir && return ;;
    --protocol) COMPREPLY=($(compgen -W '5 3.1.1' -- "$cur")) && return ;;
    --textfile) _filedir && return ;;
    --kind) COMPREPLY=($(compgen -W 'location acceleration orientation angularVelocity magneticField heading gravity linearAcceleration rotation inclination illuminance proximity pressure temperature humidity voltage current tilt power energy resistance ambientTemperature objectTemperature carbonDioxide volatileOrganicCompounds oxygen pm1 pm2p5 pm4 pm10 ultravioletIndex attitude attitudeError gyroscopeBias rest trueHeading hinge steps' -- "$cur")) && return ;;
    --instance | --timeout | --interval | --rate | --batch | --min-change | --count | --for | --columns | --max-size | --rotate | --rotate-size | --keep | --max-total | --picture | --title | --name | --exec | --description | --rest | --server | --host | --hold | --prefix | --user) return ;;
    esac

    if [[ $cur == -* ]]; then
        case $command in
        get) options+=' --wait --satellites --utc' ;;
        watch) options+=' --interval --rate --batch --filter --min-change --align-to --count --for --satellites --stats --columns --utc --quiet --verbose --reconnect --no-reconnect' ;;
        top) options+=' --once --utc' ;;
        record) options+=' --interval --rate --batch --filter --min-change --align-to --count --for --max-size --rotate --rotate-size --keep --max-total --reopen' ;;
        import) options+=' --from --columns --interval --resource --force' ;;
        export) options+=' --to --resource --force' ;;
        plot) options+=' --output --resource --picture --title --force' ;;
        feed) options+=' --name --rate --exec --description --rest --simulated' ;;
        fleet) options+=' --server --host --resource --resend --no-resend --all --for --hold --count --from --config --prefix --user --password-file --authority --certificate --key --protocol' ;;
        set) options+=' --interval --rate --batch --filter --min-change --align-to' ;;
        doctor) options+=' --check' ;;
        metrics) options+=' --textfile' ;;
        status) options+=' --wide --utc' ;;
        calibrate) options+=' --for --dry-run --show --forget' ;;
        release) options+=' --kind --all --for' ;;
        reacquire) options+=' --kind --all' ;;
        mock) options+=' --for' ;;
        esac
        COMPREPLY=($(compgen -W "$options" -- "$cur"))
        return
    fi

    case $command in
    '') COMPREPLY=($(compgen -W "$commands" -- "$cur")) ;;
    get)
        COMPREPLY+=($(compgen -W "$(_sensorctl_resources)" -- "$cur"))
        ;;
    watch)
        compopt -o nospace 2>/dev/null
        _sensorctl_options "$cur" || {
            COMPREPLY+=($(compgen -W "$(_sensorctl_resources)" -- "$cur"))
        }
        ;;
    top)
        COMPREPLY+=($(compgen -W "$(_sensorctl_resources)" -- "$cur"))
        ;;
    record)
        compopt -o nospace 2>/dev/null
        _sensorctl_options "$cur" || {
            _filedir
            COMPREPLY+=($(compgen -W "$(_sensorctl_resources)" -- "$cur"))
        }
        ;;
    import)
        _filedir
        ;;
    export)
        _filedir
        ;;
    plot)
        _filedir
        ;;
    feed)
        COMPREPLY+=($(compgen -W "location accelerometer gyroscope magnetometer heading gravity linearacceleration rotation inclination light proximity pressure temperature humidity voltage current tilt power energy resistance ambienttemperature objecttemperature co2 voc oxygen pm1 pm2p5 pm4 pm10 uvindex attitude attitudeerror gyroscopebias rest trueheading hinge steps" -- "$cur"))
        ;;
    fleet)
        _filedir
        COMPREPLY+=($(compgen -W "verify watch record" -- "$cur"))
        ;;
    set)
        compopt -o nospace 2>/dev/null
        _sensorctl_options "$cur" || {
            COMPREPLY+=($(compgen -W "$(_sensorctl_resources)" -- "$cur"))
        }
        ;;
    help)
        COMPREPLY+=($(compgen -W "$commands" -- "$cur"))
        ;;
    calibrate)
        COMPREPLY+=($(compgen -W "$(_sensorctl_resources) gyroscope magnetometer accelerometer mounting" -- "$cur"))
        ;;
    release)
        COMPREPLY+=($(compgen -W "$(_sensorctl_resources)" -- "$cur"))
        ;;
    reacquire)
        COMPREPLY+=($(compgen -W "$(_sensorctl_resources)" -- "$cur"))
        ;;
    disconnect)
        ;;
    mock)
        COMPREPLY+=($(compgen -W "$(_sensorctl_resources) unplug gpsd-restart stall late overflow lie refuse no-fix satellites jump utc-back week-rollover drop replug clear" -- "$cur"))
        ;;
    esac
    __ltrim_colon_completions "$cur"
} &&
    complete -F _sensorctl sensorctl
