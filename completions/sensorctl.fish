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
        printf '%s\n' $before,{batch=,filter=,min=,satellites}
    else
        __sensorctl_resources
    end
end

set -l commands list get watch top record import export plot feed fleet set doctor metrics help status calibrate release reacquire disconnect reload mock

complete -c sensorctl -f
complete -c sensorctl -n "not __fish_seen_subcommand_from $commands" -a list -d 'List the resources of the broker and their states'
complete -c sensorctl -n "not __fish_seen_subcommand_from $commands" -a get -d 'Print one new reading of a resource'
complete -c sensorctl -n "not __fish_seen_subcommand_from $commands" -a watch -d 'Print readings as they arrive, until Ctrl-C'
complete -c sensorctl -n "not __fish_seen_subcommand_from $commands" -a top -d 'Show the resources and clients of the broker, live, on the full screen'
complete -c sensorctl -n "not __fish_seen_subcommand_from $commands" -a record -d 'Write readings, with gaps and states, into a file'
complete -c sensorctl -n "not __fish_seen_subcommand_from $commands" -a import -d 'Convert another program\'s file to a recording'
complete -c sensorctl -n "not __fish_seen_subcommand_from $commands" -a export -d 'Write a recording in the format of another program'
complete -c sensorctl -n "not __fish_seen_subcommand_from $commands" -a plot -d 'Draw a recording'
complete -c sensorctl -n "not __fish_seen_subcommand_from $commands" -a feed -d 'Be a sensor: lines of the standard input become readings'
complete -c sensorctl -n "not __fish_seen_subcommand_from $commands" -a fleet -d 'Verify, watch and record what many hosts send to an MQTT server'
complete -c sensorctl -n "not __fish_seen_subcommand_from $commands" -a set -d 'Change the intervals of a running watch'
complete -c sensorctl -n "not __fish_seen_subcommand_from $commands" -a doctor -d 'Find common problems, and say what to do'
complete -c sensorctl -n "not __fish_seen_subcommand_from $commands" -a metrics -d 'Print figures about the broker for a monitoring system'
complete -c sensorctl -n "not __fish_seen_subcommand_from $commands" -a help -d 'Explain sensorctl, or one of its commands'
complete -c sensorctl -n "not __fish_seen_subcommand_from $commands" -a status -d 'Show the devices and the clients of the broker'
complete -c sensorctl -n "not __fish_seen_subcommand_from $commands" -a calibrate -d 'Measure how far a sensor is off, and store it'
complete -c sensorctl -n "not __fish_seen_subcommand_from $commands" -a release -d 'Release devices, so that other programs can use them'
complete -c sensorctl -n "not __fish_seen_subcommand_from $commands" -a reacquire -d 'Take back released devices'
complete -c sensorctl -n "not __fish_seen_subcommand_from $commands" -a disconnect -d 'End the connections of clients'
complete -c sensorctl -n "not __fish_seen_subcommand_from $commands" -a reload -d 'Read the configuration again'
complete -c sensorctl -n "not __fish_seen_subcommand_from $commands" -a mock -d 'Begin or end a fault of a simulated device'
complete -c sensorctl -n '__fish_seen_subcommand_from get' -a '(__sensorctl_resources)' -d Resource
complete -c sensorctl -n '__fish_seen_subcommand_from watch' -a '(__sensorctl_requests)' -d Resource
complete -c sensorctl -n '__fish_seen_subcommand_from top' -a '(__sensorctl_resources)' -d Resource
complete -c sensorctl -n '__fish_seen_subcommand_from record' -F
complete -c sensorctl -n '__fish_seen_subcommand_from record' -a '(__sensorctl_requests)' -d Resource
complete -c sensorctl -n '__fish_seen_subcommand_from import' -F
complete -c sensorctl -n '__fish_seen_subcommand_from export' -F
complete -c sensorctl -n '__fish_seen_subcommand_from plot' -F
complete -c sensorctl -n '__fish_seen_subcommand_from feed' -a 'location accelerometer gyroscope magnetometer heading gravity linearacceleration rotation inclination light proximity pressure temperature humidity voltage current tilt power energy resistance ambienttemperature objecttemperature co2 voc oxygen pm1 pm2p5 pm4 pm10 uvindex attitude attitudeerror gyroscopebias rest trueheading hinge steps'
complete -c sensorctl -n '__fish_seen_subcommand_from fleet' -F
complete -c sensorctl -n '__fish_seen_subcommand_from fleet' -a 'verify watch record'
complete -c sensorctl -n '__fish_seen_subcommand_from set' -a '(__sensorctl_requests)' -d Resource
complete -c sensorctl -n '__fish_seen_subcommand_from help' -a "$commands"
complete -c sensorctl -n '__fish_seen_subcommand_from calibrate' -a '(__sensorctl_resources)' -d Resource
complete -c sensorctl -n '__fish_seen_subcommand_from calibrate' -a 'gyroscope magnetometer accelerometer mounting'
complete -c sensorctl -n '__fish_seen_subcommand_from release' -a '(__sensorctl_resources)' -d Resource
complete -c sensorctl -n '__fish_seen_subcommand_from reacquire' -a '(__sensorctl_resources)' -d Resource
complete -c sensorctl -n '__fish_seen_subcommand_from mock' -a '(__sensorctl_resources)' -d Resource
complete -c sensorctl -n '__fish_seen_subcommand_from mock' -a 'unplug gpsd-restart stall late overflow lie refuse no-fix satellites jump utc-back week-rollover drop replug clear'
complete -c sensorctl -l socket -rF -d 'Path of the broker\'s socket'
complete -c sensorctl -l instance -x -d 'Use the broker instance with that name'
complete -c sensorctl -l timeout -x -d 'How long the broker may take to answer (10s)'
complete -c sensorctl -l format -x -a 'text json csv nmea mcap' -d 'How the output is written'
complete -c sensorctl -s h -l help -d 'Print this help'
complete -c sensorctl -l version -d 'Print the version'
complete -c sensorctl -n '__fish_seen_subcommand_from get' -l wait -d 'Wait for a resource that is unavailable'
complete -c sensorctl -n '__fish_seen_subcommand_from get watch' -l satellites -d 'Show each satellite in view'
complete -c sensorctl -n '__fish_seen_subcommand_from get watch top status' -l utc -d 'Show times in UTC instead of local time'
complete -c sensorctl -n '__fish_seen_subcommand_from watch record set' -l interval -x -d 'Interval for resources that are named without one'
complete -c sensorctl -n '__fish_seen_subcommand_from watch record set' -l rate -x -d 'Interval as a rate: 50Hz'
complete -c sensorctl -n '__fish_seen_subcommand_from watch record set' -l batch -x -d 'Gather readings for this long, and send them together'
complete -c sensorctl -n '__fish_seen_subcommand_from watch record set' -l filter -x -a 'newest mean' -d 'Send an interval\'s newest sample, or the mean of all its samples'
complete -c sensorctl -n '__fish_seen_subcommand_from watch record set' -l min-change -x -d 'Send only readings that differ by at least this'
complete -c sensorctl -n '__fish_seen_subcommand_from watch record set' -l align-to -x -a '(__sensorctl_resources)' -d 'Have its readings carry the values of the others'
complete -c sensorctl -n '__fish_seen_subcommand_from watch record' -l count -x -d 'End after this many readings'
complete -c sensorctl -n '__fish_seen_subcommand_from watch record' -l for -x -d 'End after this time'
complete -c sensorctl -n '__fish_seen_subcommand_from watch' -l stats -d 'Show what the stream is like, each second, instead of its readings'
complete -c sensorctl -n '__fish_seen_subcommand_from watch' -l columns -x -d 'Show only these columns of csv, in this order'
complete -c sensorctl -n '__fish_seen_subcommand_from watch' -l quiet -d 'Show readings only'
complete -c sensorctl -n '__fish_seen_subcommand_from watch' -l verbose -d 'Show everything that the broker sends'
complete -c sensorctl -n '__fish_seen_subcommand_from watch' -l reconnect -d 'Reconnect whenever the broker has gone away'
complete -c sensorctl -n '__fish_seen_subcommand_from watch' -l no-reconnect -d 'End with 69 when the broker has gone away'
complete -c sensorctl -n '__fish_seen_subcommand_from top' -l once -d 'Print one page and end'
complete -c sensorctl -n '__fish_seen_subcommand_from record' -l max-size -x -d 'End before the file is longer than this: 100MB'
complete -c sensorctl -n '__fish_seen_subcommand_from record' -l rotate -x -d 'Begin a new file this often'
complete -c sensorctl -n '__fish_seen_subcommand_from record' -l rotate-size -x -d 'Begin a new file before one is longer than this'
complete -c sensorctl -n '__fish_seen_subcommand_from record' -l keep -x -d 'Delete files that were last written longer ago than this: 7d'
complete -c sensorctl -n '__fish_seen_subcommand_from record' -l max-total -x -d 'Delete the oldest files when all together would be longer than this: 1G'
complete -c sensorctl -n '__fish_seen_subcommand_from record' -l reopen -d 'On SIGHUP, close FILE and open it again'
complete -c sensorctl -n '__fish_seen_subcommand_from import' -l from -x -a 'csv gpx nmea kml garmin_fit gtrnctr igc geojson unicsv' -d 'What the input is'
complete -c sensorctl -n '__fish_seen_subcommand_from import' -l columns -x -d 'The meaning of the columns of a table'
complete -c sensorctl -n '__fish_seen_subcommand_from import' -l interval -x -d 'Time between two points, if the file has no times'
complete -c sensorctl -n '__fish_seen_subcommand_from import' -l resource -x -a '(__sensorctl_resources)' -d 'Name of the resource in the recording'
complete -c sensorctl -n '__fish_seen_subcommand_from import export plot' -l force -d 'Replace the file if it exists'
complete -c sensorctl -n '__fish_seen_subcommand_from export' -l to -x -a 'gpx csv kml geojson mcap ndjson' -d 'What is written'
complete -c sensorctl -n '__fish_seen_subcommand_from export' -l resource -x -a '(__sensorctl_resources)' -d 'Export only this resource'
complete -c sensorctl -n '__fish_seen_subcommand_from plot' -s o -l output -rF -d 'The file to write'
complete -c sensorctl -n '__fish_seen_subcommand_from plot' -l resource -x -a '(__sensorctl_resources)' -d 'Show only this resource'
complete -c sensorctl -n '__fish_seen_subcommand_from plot' -l picture -x -d 'Draw only this picture, such as \'location track\''
complete -c sensorctl -n '__fish_seen_subcommand_from plot' -l title -x -d 'The heading; by default the name of the recording'
complete -c sensorctl -n '__fish_seen_subcommand_from feed' -l name -x -d 'Name of the resource, such as accelerometer:arm'
complete -c sensorctl -n '__fish_seen_subcommand_from feed' -l rate -x -d 'How many lines come in a second: 100Hz'
complete -c sensorctl -n '__fish_seen_subcommand_from feed' -l exec -x -d 'Read the output of a command instead of the standard input'
complete -c sensorctl -n '__fish_seen_subcommand_from feed' -l description -x -d 'The device, for people to read'
complete -c sensorctl -n '__fish_seen_subcommand_from feed' -l rest -x -d 'How long there may be no line although all is well'
complete -c sensorctl -n '__fish_seen_subcommand_from feed' -l simulated -d 'Mark its readings as invented'
complete -c sensorctl -n '__fish_seen_subcommand_from fleet' -l server -x -d 'mqtts://HOST[:PORT], or mqtt:// without encryption'
complete -c sensorctl -n '__fish_seen_subcommand_from fleet' -l host -x -d 'Only these hosts, such as \'truck-*\''
complete -c sensorctl -n '__fish_seen_subcommand_from fleet' -l resource -x -a '(__sensorctl_resources)' -d 'Only these resources'
complete -c sensorctl -n '__fish_seen_subcommand_from fleet' -l resend -d 'Ask the hosts for what is missing, and wait for it (verify)'
complete -c sensorctl -n '__fish_seen_subcommand_from fleet' -l no-resend -d 'Do not ask the hosts for what is missing (record)'
complete -c sensorctl -n '__fish_seen_subcommand_from fleet' -l all -d 'Expect also what was sent before, from number 1 on (verify)'
complete -c sensorctl -n '__fish_seen_subcommand_from fleet' -l for -x -d 'Listen for this time, such as 10min'
complete -c sensorctl -n '__fish_seen_subcommand_from fleet' -l hold -x -d 'How long messages wait for those before them (record; 1min)'
complete -c sensorctl -n '__fish_seen_subcommand_from fleet' -l count -x -d 'End after this many readings (watch)'
complete -c sensorctl -n '__fish_seen_subcommand_from fleet' -l from -rF -d 'Verify what mosquitto_sub -F \'%r %t %x\' wrote'
complete -c sensorctl -n '__fish_seen_subcommand_from fleet' -l config -rF -d 'The configuration file, instead of the usual ones'
complete -c sensorctl -n '__fish_seen_subcommand_from fleet' -l prefix -x -d 'The first part of all topics (fleet)'
complete -c sensorctl -n '__fish_seen_subcommand_from fleet' -l user -x -d 'The user\'s name at the server'
complete -c sensorctl -n '__fish_seen_subcommand_from fleet' -l password-file -rF -d 'A file whose first line is the password'
complete -c sensorctl -n '__fish_seen_subcommand_from fleet' -l authority -rF -d 'The certificates of those who may sign the server\'s'
complete -c sensorctl -n '__fish_seen_subcommand_from fleet' -l certificate -rF -d 'The client\'s certificate'
complete -c sensorctl -n '__fish_seen_subcommand_from fleet' -l key -rF -d 'Its key'
complete -c sensorctl -n '__fish_seen_subcommand_from fleet' -l protocol -x -a '5 3.1.1' -d 'The version of MQTT'
complete -c sensorctl -n '__fish_seen_subcommand_from doctor' -l check -d 'Print one line for Nagios or Icinga, and end with its statuses'
complete -c sensorctl -n '__fish_seen_subcommand_from metrics' -l textfile -rF -d 'Write to FILE, for node_exporter\'s textfile collector'
complete -c sensorctl -n '__fish_seen_subcommand_from status' -l wide -d 'Show every value, with a line for each resource of each client'
complete -c sensorctl -n '__fish_seen_subcommand_from calibrate' -l for -x -d 'Give up after this time (2min)'
complete -c sensorctl -n '__fish_seen_subcommand_from calibrate' -l dry-run -d 'Measure, but store nothing'
complete -c sensorctl -n '__fish_seen_subcommand_from calibrate' -l show -d 'Show what is stored'
complete -c sensorctl -n '__fish_seen_subcommand_from calibrate' -l forget -d 'Forget what is stored of the resource'
complete -c sensorctl -n '__fish_seen_subcommand_from release reacquire' -l kind -x -a 'location acceleration orientation angularVelocity magneticField heading gravity linearAcceleration rotation inclination illuminance proximity pressure temperature humidity voltage current tilt power energy resistance ambientTemperature objectTemperature carbonDioxide volatileOrganicCompounds oxygen pm1 pm2p5 pm4 pm10 ultravioletIndex attitude attitudeError gyroscopeBias rest trueHeading hinge steps' -d 'All resources of this kind'
complete -c sensorctl -n '__fish_seen_subcommand_from release reacquire' -l all -d 'All devices'
complete -c sensorctl -n '__fish_seen_subcommand_from release' -l for -x -d 'Take the devices back after this time'
complete -c sensorctl -n '__fish_seen_subcommand_from mock' -l for -x -d 'End the fault after this time'
