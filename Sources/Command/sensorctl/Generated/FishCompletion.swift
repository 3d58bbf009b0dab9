internal import Programs

enum FishCompletion {
    static var text: String {
        let names = Command.listed.map(\.name).joined(separator: " ")
        let commands = Command.listed.map { command in
            line("-n \"not __fish_seen_subcommand_from $commands\" -a \(command.name)", command.summary)
        }
        return """
            # Completion of sensorctl in fish, written by 'make generated'. The names of resources come from the running broker.

            function __sensorctl_resources
                set -l words (commandline -opc)
                set -l broker
                for option in --socket --instance
                    if set -l place (contains -i -- $option $words)
                        set -l value $words[(math $place + 1)]
                        set broker $option (string replace -r '^~/' "$HOME/" -- "$value")
                    else if set -l word (string match -- "$option=*" $words)
                        set broker $word[1]
                    end
                end
                sensorctl list --format csv --timeout 2s $broker 2>/dev/null | string replace -r ',.*' '' | tail -n +2
            end

            # Resources, and behind a comma the options of one.
            function __sensorctl_requests
                set -l token (commandline -ct)
                if string match -q '*,*' -- $token
                    set -l before (string replace -r ',[^,]*$' '' -- $token)
                    printf '%s\\n' $before,{\(RequestOption.all.map(\.text).joined(separator: ","))}
                else
                    __sensorctl_resources
                end
            end

            set -l commands \(names)

            complete -c sensorctl -f
            \((commands + operands + Option.common.map { option($0, nil) } + Command.options.map(option)).joined(separator: "\n"))

            """
    }

    private static var operands: [String] {
        Command.listed.flatMap { command in
            let source =
                command.operands.contains(where: \.isRequest) ? "__sensorctl_requests" : "__sensorctl_resources"
            return Set(command.operands.map(\.completion)).sorted { "\($0)" < "\($1)" }.flatMap { completion in
                values(completion, source).map { "complete -c sensorctl -n \(uses([command.name])) \($0)" }
            }
        }
    }

    /// The completions of an operand; files need a rule of their own.
    private static func values(_ completion: Completion, _ source: String) -> [String] {
        switch completion {
        case .nothing: []
        case .words(let list): ["-a \(quoted(list.joined(separator: " ")))"]
        case .resources: ["-a '(\(source))' -d Resource"]
        case .files: ["-F"]
        case .resourcesAndFiles: ["-F", "-a '(\(source))' -d Resource"]
        case .commands: ["-a \"$commands\""]
        }
    }

    private static func option(_ option: Option, _ commands: [String]?) -> String {
        var words = commands.map { ["-n \(uses($0))"] } ?? []
        if let letter = option.letter { words.append("-s \(letter)") }
        words.append("-l \(option.name)")
        switch option.value?.completion {
        case nil: break
        case .nothing: words.append("-x")
        case .files, .resourcesAndFiles: words.append("-rF")
        case .words(let list): words.append("-x -a \(quoted(list.joined(separator: " ")))")
        case .resources: words.append("-x -a '(__sensorctl_resources)'")
        case .commands: words.append("-x -a \"$commands\"")
        }
        return line(words.joined(separator: " "), option.summary)
    }

    private static func line(_ words: String, _ summary: String) -> String {
        "complete -c sensorctl \(words) -d \(quoted(summary.filter { $0 != "`" }))"
    }

    private static func uses(_ commands: [String]) -> String {
        quoted("__fish_seen_subcommand_from \(commands.joined(separator: " "))")
    }

    private static func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "\\'") + "'"
    }
}
