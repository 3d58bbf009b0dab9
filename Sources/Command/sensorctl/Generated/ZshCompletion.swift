internal import Programs

enum ZshCompletion {
    static var text: String {
        let commands = Command.listed.map { "    \(quoted("\($0.name):\($0.summary)"))\n" }.joined()
        let common = Option.common.map { "    \(spec($0))\n" }.joined()
        let cases = Command.listed.map { command in
            let words = ["_arguments $common"] + command.options.map(spec) + operands(of: command)
            return "    \(command.name))\n      \(words.joined(separator: " \\\n        ")) ;;\n"
        }.joined()
        return """
            #compdef sensorctl
            # Completion of sensorctl in zsh, written by 'make generated'. The names of resources come from the running broker.

            _sensorctl_resources() {
              local -a names broker
              local index
              for ((index = 2; index < $#line_words; index++)); do
                case ${line_words[index]} in
                --socket | --instance) broker=(${line_words[index]} ${(Q)${line_words[index + 1]/#\\~\\//$HOME/}}) ;;
                --socket=* | --instance=*) broker=(${(Q)line_words[index]}) ;;
                esac
              done
              names=(${${(f)"$(sensorctl list --format csv --timeout 2s $broker 2>/dev/null)"}[2,-1]%%,*})
              compadd "$@" -a names
            }

            # Resources, and behind a comma the options of one.
            _sensorctl_requests() {
              if compset -P '*,'; then
                compadd "$@" -S '' -- \(RequestOption.all.map(\.text).joined(separator: " "))
              else
                _sensorctl_resources "$@" -S ''
              fi
            }

            _sensorctl_resources_and_files() {
              _alternative 'resources:resource:_sensorctl_requests' 'files:file:_files'
            }

            _sensorctl_commands() {
              local -a commands
              commands=(
            \(commands)  )
              _describe command commands
            }

            _sensorctl() {
              # Those of the whole line: _arguments takes words away.
              local -a common line_words=("${words[@]}")
              local curcontext=$curcontext state line
              typeset -A opt_args
              common=(
            \(common)  )
              # What stands behind the command is for its own turn, also an option of all commands.
              _arguments -C -A '-*' $common '1:command:_sensorctl_commands' '*::word:->words' && return
              case $line[1] in
            \(cases)    *) _arguments $common ;;
              esac
            }

            _sensorctl "$@"

            """
    }

    private static func spec(_ option: Option) -> String {
        let summary = "[\(escaped(option.summary))]"
        guard option != .help, option != .version else {
            guard let letter = option.letter else { return quoted("(- *)\(option.text)\(summary)") }
            return "'(- *)'{-\(letter),\(option.text)}\(quoted(summary))"
        }
        let excluded = option.excludes.map { "(--\($0))" } ?? ""
        guard let value = option.value else { return quoted(excluded + option.text + summary) }
        let name = value.choices == nil ? value.name.lowercased() : option.name
        let rest = "\(summary):\(name):\(action(value.completion))"
        guard let letter = option.letter else { return quoted("\(excluded)\(option.text)=\(rest)") }
        return "'(-\(letter) \(option.text))'{-\(letter)+,\(option.text)=}\(quoted(rest))"
    }

    private static func operands(of command: Command) -> [String] {
        command.operands.enumerated().map { index, operand in
            // After a repeated operand, positions cannot be distinguished.
            let position = command.operands[...index].contains(where: \.isRepeated) ? "*" : "\(index + 1)"
            let name = operand.name.lowercased()
            let action =
                operand.isRequest && operand.completion == .resources
                ? "_sensorctl_requests" : action(operand.completion)
            return (position, quoted("\(position):\(name):\(action)"))
        }.reduce(into: (positions: Set<String>(), specs: [String]())) { result, next in
            if result.positions.insert(next.0).inserted { result.specs.append(next.1) }
        }.specs
    }

    private static func action(_ completion: Completion) -> String {
        switch completion {
        case .nothing: ""
        case .words(let list): "(\(list.joined(separator: " ")))"
        case .resources: "_sensorctl_resources"
        case .files: "_files"
        case .resourcesAndFiles: "_sensorctl_resources_and_files"
        case .commands: "_sensorctl_commands"
        }
    }

    /// Escapes characters that would end a description.
    private static func escaped(_ text: String) -> String {
        text.filter { $0 != "`" }.map { "[]:".contains($0) ? "\\\($0)" : String($0) }.joined()
    }

    private static func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
