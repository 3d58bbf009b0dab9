#compdef sensorctl
# Completion of sensorctl in zsh, written by 'make generated'. The names of resources come from the running broker.

_sensorctl_resources() {
  local -a names broker
  local index
  for ((index = 2; index < $#line_words; index++)); do
    case ${line_words[index]} in
    --socket | --instance) broker=(${line_words[index]} ${(Q)${line_words[index + 1]/#\~\//$HOME/}}) ;;
    --socket=* | --instance=*) broker=(${(Q)line_words[index]}) ;;
    esac
  done
  names=(${${(f)"$(sensorctl list --format csv --timeout 2s $broker 2>/dev/null)"}[2,-1]%%,*})
  compadd "$@" -a names
}

# Resources, and behind a comma the options of one.
_sensorctl_requests() {
  if compset -P '*,'; then
    compadd "$@" -S '' -- batch= filter= min= satellites
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
    'list:List the resources of the broker and their states'
    'get:Print one new reading of a resource'
    'watch:Print readings as they arrive, until Ctrl-C'
    'top:Show the resources and clients of the broker, live, on the full screen'
    'record:Write readings, with gaps and states, into a file'
    'import:Convert another program'\''s file to a recording'
    'export:Write a recording in the format of another program'
    'plot:Draw a recording'
    'feed:Be a sensor: lines of the standard input become readings'
    'fleet:Verify, watch and record what many hosts send to an MQTT server'
    'set:Change the intervals of a running watch'
    'doctor:Find common problems, and say what to do'
    'metrics:Print figures about the broker for a monitoring system'
    'help:Explain sensorctl, or one of its commands'
    'status:Show the devices and the clients of the broker'
    'calibrate:Measure how far a sensor is off, and store it'
    'release:Release devices, so that other programs can use them'
    'reacquire:Take back released devices'
    'disconnect:End the connections of clients'
    'reload:Read the configuration again'
    'mock:Begin or end a fault of a simulated device'
  )
  _describe command commands
}

_sensorctl() {
  # Those of the whole line: _arguments takes words away.
  local -a common line_words=("${words[@]}")
  local curcontext=$curcontext state line
  typeset -A opt_args
  common=(
    '(--instance)--socket=[Path of the broker'\''s socket]:path:_files'
    '(--socket)--instance=[Use the broker instance with that name]:name:'
    '--timeout=[How long the broker may take to answer (10s)]:time:'
    '--format=[How the output is written]:format:(text json csv nmea mcap)'
    '(- *)'{-h,--help}'[Print this help]'
    '(- *)--version[Print the version]'
  )
  # What stands behind the command is for its own turn, also an option of all commands.
  _arguments -C -A '-*' $common '1:command:_sensorctl_commands' '*::word:->words' && return
  case $line[1] in
    list)
      _arguments $common ;;
    get)
      _arguments $common \
        '--wait[Wait for a resource that is unavailable]' \
        '--satellites[Show each satellite in view]' \
        '--utc[Show times in UTC instead of local time]' \
        '1:resource:_sensorctl_resources' ;;
    watch)
      _arguments $common \
        '(--rate)--interval=[Interval for resources that are named without one]:interval:' \
        '(--interval)--rate=[Interval as a rate\: 50Hz]:rate:' \
        '--batch=[Gather readings for this long, and send them together]:time:' \
        '--filter=[Send an interval'\''s newest sample, or the mean of all its samples]:filter:(newest mean)' \
        '--min-change=[Send only readings that differ by at least this]:change:' \
        '--align-to=[Have its readings carry the values of the others]:resource:_sensorctl_resources' \
        '--count=[End after this many readings]:n:' \
        '--for=[End after this time]:time:' \
        '--satellites[Show each satellite in view]' \
        '(--columns)--stats[Show what the stream is like, each second, instead of its readings]' \
        '(--stats)--columns=[Show only these columns of csv, in this order]:list:' \
        '--utc[Show times in UTC instead of local time]' \
        '(--verbose)--quiet[Show readings only]' \
        '(--quiet)--verbose[Show everything that the broker sends]' \
        '(--no-reconnect)--reconnect[Reconnect whenever the broker has gone away]' \
        '(--reconnect)--no-reconnect[End with 69 when the broker has gone away]' \
        '*:resource:_sensorctl_requests' ;;
    top)
      _arguments $common \
        '--once[Print one page and end]' \
        '--utc[Show times in UTC instead of local time]' \
        '1:resource:_sensorctl_resources' ;;
    record)
      _arguments $common \
        '(--rate)--interval=[Interval for resources that are named without one]:interval:' \
        '(--interval)--rate=[Interval as a rate\: 50Hz]:rate:' \
        '--batch=[Gather readings for this long, and send them together]:time:' \
        '--filter=[Send an interval'\''s newest sample, or the mean of all its samples]:filter:(newest mean)' \
        '--min-change=[Send only readings that differ by at least this]:change:' \
        '--align-to=[Have its readings carry the values of the others]:resource:_sensorctl_resources' \
        '--count=[End after this many readings]:n:' \
        '--for=[End after this time]:time:' \
        '--max-size=[End before the file is longer than this\: 100MB]:size:' \
        '(--reopen)--rotate=[Begin a new file this often]:time:' \
        '--rotate-size=[Begin a new file before one is longer than this]:size:' \
        '--keep=[Delete files that were last written longer ago than this\: 7d]:time:' \
        '--max-total=[Delete the oldest files when all together would be longer than this\: 1G]:size:' \
        '(--rotate)--reopen[On SIGHUP, close FILE and open it again]' \
        '*:resource:_sensorctl_resources_and_files' ;;
    import)
      _arguments $common \
        '--from=[What the input is]:format:(csv gpx nmea kml garmin_fit gtrnctr igc geojson unicsv)' \
        '--columns=[The meaning of the columns of a table]:list:' \
        '--interval=[Time between two points, if the file has no times]:interval:' \
        '--resource=[Name of the resource in the recording]:name:_sensorctl_resources' \
        '--force[Replace the file if it exists]' \
        '1:input:_files' \
        '2:recording:_files' ;;
    export)
      _arguments $common \
        '--to=[What is written]:to:(gpx csv kml geojson mcap ndjson)' \
        '--resource=[Export only this resource]:name:_sensorctl_resources' \
        '--force[Replace the file if it exists]' \
        '1:recording:_files' \
        '2:file:_files' ;;
    plot)
      _arguments $common \
        '(-o --output)'{-o+,--output=}'[The file to write]:file:_files' \
        '--resource=[Show only this resource]:name:_sensorctl_resources' \
        '--picture=[Draw only this picture, such as '\''location track'\'']:name:' \
        '--title=[The heading; by default the name of the recording]:text:' \
        '--force[Replace the file if it exists]' \
        '1:recording:_files' ;;
    feed)
      _arguments $common \
        '--name=[Name of the resource, such as accelerometer\:arm]:name:' \
        '--rate=[How many lines come in a second\: 100Hz]:rate:' \
        '--exec=[Read the output of a command instead of the standard input]:command:' \
        '--description=[The device, for people to read]:text:' \
        '--rest=[How long there may be no line although all is well]:time:' \
        '--simulated[Mark its readings as invented]' \
        '1:kind:(location accelerometer gyroscope magnetometer heading gravity linearacceleration rotation inclination light proximity pressure temperature humidity voltage current tilt power energy resistance ambienttemperature objecttemperature co2 voc oxygen pm1 pm2p5 pm4 pm10 uvindex attitude attitudeerror gyroscopebias rest trueheading hinge steps)' ;;
    fleet)
      _arguments $common \
        '--server=[mqtts\://HOST\[\:PORT\], or mqtt\:// without encryption]:url:' \
        '--host=[Only these hosts, such as '\''truck-*'\'']:pattern:' \
        '--resource=[Only these resources]:name[,name]:_sensorctl_resources' \
        '--resend[Ask the hosts for what is missing, and wait for it (verify)]' \
        '--no-resend[Do not ask the hosts for what is missing (record)]' \
        '--all[Expect also what was sent before, from number 1 on (verify)]' \
        '--for=[Listen for this time, such as 10min]:time:' \
        '--hold=[How long messages wait for those before them (record; 1min)]:time:' \
        '--count=[End after this many readings (watch)]:n:' \
        '--from=[Verify what mosquitto_sub -F '\''%r %t %x'\'' wrote]:file:_files' \
        '--config=[The configuration file, instead of the usual ones]:file:_files' \
        '--prefix=[The first part of all topics (fleet)]:topic:' \
        '--user=[The user'\''s name at the server]:name:' \
        '--password-file=[A file whose first line is the password]:file:_files' \
        '--authority=[The certificates of those who may sign the server'\''s]:file:_files' \
        '--certificate=[The client'\''s certificate]:file:_files' \
        '--key=[Its key]:file:_files' \
        '--protocol=[The version of MQTT]:protocol:(5 3.1.1)' \
        '1:verify|watch|record:(verify watch record)' \
        '2:directory:_files' ;;
    set)
      _arguments $common \
        '(--rate)--interval=[Interval for resources that are named without one]:interval:' \
        '(--interval)--rate=[Interval as a rate\: 50Hz]:rate:' \
        '--batch=[Gather readings for this long, and send them together]:time:' \
        '--filter=[Send an interval'\''s newest sample, or the mean of all its samples]:filter:(newest mean)' \
        '--min-change=[Send only readings that differ by at least this]:change:' \
        '--align-to=[Have its readings carry the values of the others]:resource:_sensorctl_resources' \
        '1:subscription:' \
        '*:resource@interval:_sensorctl_requests' ;;
    doctor)
      _arguments $common \
        '--check[Print one line for Nagios or Icinga, and end with its statuses]' ;;
    metrics)
      _arguments $common \
        '--textfile=[Write to FILE, for node_exporter'\''s textfile collector]:file:_files' ;;
    help)
      _arguments $common \
        '1:command:_sensorctl_commands' ;;
    status)
      _arguments $common \
        '--wide[Show every value, with a line for each resource of each client]' \
        '--utc[Show times in UTC instead of local time]' ;;
    calibrate)
      _arguments $common \
        '--for=[Give up after this time (2min)]:time:' \
        '--dry-run[Measure, but store nothing]' \
        '(--forget)--show[Show what is stored]' \
        '(--show)--forget[Forget what is stored of the resource]' \
        '1:what:(gyroscope magnetometer accelerometer mounting)' \
        '2:resource:_sensorctl_resources' ;;
    release)
      _arguments $common \
        '(--all)--kind=[All resources of this kind]:kind:(location acceleration orientation angularVelocity magneticField heading gravity linearAcceleration rotation inclination illuminance proximity pressure temperature humidity voltage current tilt power energy resistance ambientTemperature objectTemperature carbonDioxide volatileOrganicCompounds oxygen pm1 pm2p5 pm4 pm10 ultravioletIndex attitude attitudeError gyroscopeBias rest trueHeading hinge steps)' \
        '(--kind)--all[All devices]' \
        '--for=[Take the devices back after this time]:time:' \
        '1:resource:_sensorctl_resources' ;;
    reacquire)
      _arguments $common \
        '(--all)--kind=[All resources of this kind]:kind:(location acceleration orientation angularVelocity magneticField heading gravity linearAcceleration rotation inclination illuminance proximity pressure temperature humidity voltage current tilt power energy resistance ambientTemperature objectTemperature carbonDioxide volatileOrganicCompounds oxygen pm1 pm2p5 pm4 pm10 ultravioletIndex attitude attitudeError gyroscopeBias rest trueHeading hinge steps)' \
        '(--kind)--all[All devices]' \
        '1:resource:_sensorctl_resources' ;;
    disconnect)
      _arguments $common \
        '*:process:' ;;
    reload)
      _arguments $common ;;
    mock)
      _arguments $common \
        '--for=[End the fault after this time]:time:' \
        '1:fault:(unplug gpsd-restart stall late overflow lie refuse no-fix satellites jump utc-back week-rollover drop replug clear)' \
        '*:resource:_sensorctl_resources' ;;
    *) _arguments $common ;;
  esac
}

_sensorctl "$@"
