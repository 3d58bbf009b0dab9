# Completion of sensorctl in fish; the names of resources come from the running broker.

function __sensorctl_resources
    set -l words (commandline -opc)
    set -l broker
    for option in --socket --instance
        if set -l place (contains -i -- $option $words)
            set broker $option $words[(math $place + 1)]
        end
    end
    sensorctl list --format csv --timeout 2s $broker 2>/dev/null | string replace -r ',.*' '' | tail -n +2
end

function __sensorctl_uses
    __fish_seen_subcommand_from $argv
end

set -l commands list get watch record import export set doctor status release reacquire reload mock

complete -c sensorctl -f
complete -c sensorctl -n "not __fish_seen_subcommand_from $commands" -a list -d 'Resources, and how they are'
complete -c sensorctl -n "not __fish_seen_subcommand_from $commands" -a get -d 'One new reading'
complete -c sensorctl -n "not __fish_seen_subcommand_from $commands" -a watch -d 'Readings as they come'
complete -c sensorctl -n "not __fish_seen_subcommand_from $commands" -a record -d 'Readings into a file'
complete -c sensorctl -n "not __fish_seen_subcommand_from $commands" -a import -d 'Make a recording of another file'
complete -c sensorctl -n "not __fish_seen_subcommand_from $commands" -a export -d 'Write a recording as another file'
complete -c sensorctl -n "not __fish_seen_subcommand_from $commands" -a set -d 'Change a running watch'
complete -c sensorctl -n "not __fish_seen_subcommand_from $commands" -a doctor -d 'Look at what usually goes wrong'
complete -c sensorctl -n "not __fish_seen_subcommand_from $commands" -a status -d 'Devices and clients'
complete -c sensorctl -n "not __fish_seen_subcommand_from $commands" -a release -d 'Give devices up'
complete -c sensorctl -n "not __fish_seen_subcommand_from $commands" -a reacquire -d 'Take devices back'
complete -c sensorctl -n "not __fish_seen_subcommand_from $commands" -a reload -d 'Read the configuration again'
complete -c sensorctl -n "not __fish_seen_subcommand_from $commands" -a mock -d 'Let something go wrong with a simulated device'

complete -c sensorctl -n '__sensorctl_uses get watch record set release reacquire mock' -a '(__sensorctl_resources)' -d Resource
complete -c sensorctl -n '__sensorctl_uses record import export' -F
complete -c sensorctl -n '__sensorctl_uses mock' -a 'unplug replug gpsd-restart stall late drop overflow lie refuse no-fix satellites jump utc-back week-rollover clear' -d Fault

complete -c sensorctl -l socket -rF -d 'The broker\'s socket'
complete -c sensorctl -l instance -x -d 'The further broker of that name'
complete -c sensorctl -l timeout -x -d 'How long the broker may take to answer'
complete -c sensorctl -l format -x -a 'text json csv' -d 'How the output is written'
complete -c sensorctl -s h -l help -d 'Print the usage'
complete -c sensorctl -l version -d 'Print the version'

complete -c sensorctl -n '__sensorctl_uses watch record set import' -l interval -x -d 'For resources without one'
complete -c sensorctl -n '__sensorctl_uses watch record set' -l rate -x -d 'The same as a rate'
complete -c sensorctl -n '__sensorctl_uses watch record set' -l batch -x -d 'Gather readings this long'
complete -c sensorctl -n '__sensorctl_uses watch record set' -l filter -x -a 'newest mean' -d 'Newest sample, or the mean'
complete -c sensorctl -n '__sensorctl_uses watch record set' -l min-change -x -d 'Only what moved so much'
complete -c sensorctl -n '__sensorctl_uses watch record' -l count -x -d 'End after so many readings'
complete -c sensorctl -n '__sensorctl_uses watch record release mock' -l for -x -d 'End after this time'
complete -c sensorctl -n '__sensorctl_uses release reacquire' -l kind -x -a 'location acceleration' -d 'All of a kind'
complete -c sensorctl -n '__sensorctl_uses release reacquire' -l all -d 'All devices'
complete -c sensorctl -n '__sensorctl_uses get watch' -l satellites -d 'Each satellite in view'
complete -c sensorctl -n '__sensorctl_uses get' -l wait -d 'Wait for what is unavailable'
complete -c sensorctl -n '__sensorctl_uses get watch status' -l utc -d 'UTC rather than local time'
complete -c sensorctl -n '__sensorctl_uses watch' -l verbose -d 'All that the broker tells'
complete -c sensorctl -n '__sensorctl_uses watch' -l reconnect -d 'Go on when the broker comes back'
complete -c sensorctl -n '__sensorctl_uses watch' -l no-reconnect -d 'End when the broker goes away'
complete -c sensorctl -n '__sensorctl_uses status' -l wide -d 'All there is'
complete -c sensorctl -n '__sensorctl_uses record' -l max-size -x -d 'End before the file is longer'
complete -c sensorctl -n '__sensorctl_uses import' -l from -x -a 'nmea gpx csv' -d 'What the input is'
complete -c sensorctl -n '__sensorctl_uses import' -l columns -x -d 'Which columns hold what'
complete -c sensorctl -n '__sensorctl_uses export' -l to -x -a 'gpx csv kml geojson' -d 'What is written'
complete -c sensorctl -n '__sensorctl_uses import export' -l resource -x -a '(__sensorctl_resources)' -d 'Which one'
complete -c sensorctl -n '__sensorctl_uses import export' -l force -d 'Replace the file that is there'
