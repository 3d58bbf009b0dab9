internal import Programs

enum BashCompletion {
    static var text: String {
        let valued = all.filter { $0.value != nil }
        let free = valued.filter { $0.value?.completion == .nothing }.flatMap(\.spellings)
        let offered = valued.filter { $0.value?.completion != .nothing }
        let values = offered.map { option in
            let spellings = option.spellings.joined(separator: " | ")
            return "    \(spellings)) \(reply(option.value?.completion ?? .nothing)) && return ;;\n"
        }.joined()
        let options = Command.listed.filter { !$0.options.isEmpty }.map { command in
            "        \(command.name)) options+=' \(command.options.map(\.text).joined(separator: " "))' ;;\n"
        }.joined()
        let operands = Command.listed.filter { !$0.operands.isEmpty }.map(operands).joined()
        return """
            # Completion of sensorctl in bash, written by 'make generated'. The names of resources come from the running broker.

            # bash splits --socket=PATH into three words; in `words` it is one, with its marks of quotation.
            _sensorctl_resources() {
                local IFS=$'\\n' options=() marks=$'[\\\\\\\\\\'"]'
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
                [[ ${1##*,} == *=* ]] || COMPREPLY=($(compgen -P "${1%,*}," -W '\(RequestOption.all.map(\.text).joined(separator: " "))' -- "${1##*,}"))
            }

            # The first word that is a command.
            _sensorctl_command() {
                local index
                for ((index = 1; index < cword; index++)); do
                    case ${words[index]} in
                    \(valued.flatMap(\.spellings).joined(separator: " | "))) ((index++)) ;;
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
                local commands='\(Command.listed.map(\.name).joined(separator: " "))'
                local options='\(Option.common.map(\.text).joined(separator: " "))'
                local command
                command=$(_sensorctl_command)

                case $prev in
            \(values)    \(free.joined(separator: " | "))) return ;;
                esac

                if [[ $cur == -* ]]; then
                    case $command in
            \(options)        esac
                    COMPREPLY=($(compgen -W "$options" -- "$cur"))
                    return
                fi

                case $command in
                '') \(reply(.commands)) ;;
            \(operands)    esac
                __ltrim_colon_completions "$cur"
            } &&
                complete -F _sensorctl sensorctl

            """
    }

    /// Every option once, whatever its meanings.
    private static var all: [Option] {
        (Option.common + Command.listed.flatMap(\.options)).reduce(into: []) { options, option in
            if !options.contains(option) { options.append(option) }
        }
    }

    private static func operands(of command: Command) -> String {
        var words: [String] = []
        var takesFiles = false
        for completion in Set(command.operands.map(\.completion)).sorted(by: { "\($0)" < "\($1)" }) {
            switch completion {
            case .nothing: break
            case .files: takesFiles = true
            case .words(let list): words.append(list.joined(separator: " "))
            case .resources: words.append("$(_sensorctl_resources)")
            case .resourcesAndFiles:
                takesFiles = true
                words.append("$(_sensorctl_resources)")
            case .commands: words.append("$commands")
            }
        }
        let takesRequests = command.operands.contains(where: \.isRequest)
        let offers =
            (takesFiles ? ["_filedir"] : [])
            + (words.isEmpty ? [] : ["COMPREPLY+=($(compgen -W \"\(words.joined(separator: " "))\" -- \"$cur\"))"])
        let lines =
            takesRequests
            ? ["compopt -o nospace 2>/dev/null", "_sensorctl_options \"$cur\" || {"] + offers.map { "    " + $0 } + [
                "}"
            ]
            : offers
        return "    \(command.name))\n" + lines.map { "        \($0)\n" }.joined() + "        ;;\n"
    }

    private static func reply(_ completion: Completion) -> String {
        func words(_ list: String) -> String { "COMPREPLY=($(compgen -W \(list) -- \"$cur\"))" }
        return switch completion {
        case .nothing: "return"
        case .words(let list): words("'\(list.joined(separator: " "))'")
        case .resources: words("\"$(_sensorctl_resources)\"")
        case .files, .resourcesAndFiles: "_filedir"
        case .commands: words("\"$commands\"")
        }
    }
}
