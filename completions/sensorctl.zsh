#compdef sensorctl
# Completion of sensorctl in zsh; the names of resources come from the running broker.

_sensorctl_resources() {
  local -a names options
  [[ -n ${opt_args[--socket]} ]] && options=(--socket ${(Q)opt_args[--socket]})
  [[ -n ${opt_args[--instance]} ]] && options=(--instance ${(Q)opt_args[--instance]})
  names=(${${(f)"$(sensorctl list --format csv --timeout 2s $options 2>/dev/null)"}[2,-1]%%,*})
  compadd "$@" -a names
}

_sensorctl_resources_and_files() {
  _alternative 'resources:resource:_sensorctl_resources' 'files:file:_files'
}

_sensorctl_commands() {
  local -a commands
  commands=(
    'list:resources, and how they are'
    'get:one new reading'
    'watch:readings as they come'
    'record:readings into a file'
    'import:make a recording of another file'
    'export:write a recording as another file'
    'set:change a running watch'
    'doctor:look at what usually goes wrong'
    'status:devices and clients'
    'release:give devices up'
    'reacquire:take devices back'
    'reload:read the configuration again'
    'mock:let something go wrong with a simulated device'
  )
  _describe command commands
}

_sensorctl() {
  local -a common scope readings ends times
  local curcontext=$curcontext state line
  typeset -A opt_args
  common=(
    '(--instance)--socket=[the broker'\''s socket]:socket:_files'
    '(--socket)--instance=[the further broker of that name]:name:'
    '--timeout=[how long the broker may take to answer]:interval:'
    '--format=[how the output is written]:format:(text json csv)'
    '(- *)'{-h,--help}'[print the usage]'
    '(- *)--version[print the version]'
  )
  scope=(
    '(--all)--kind=[all of a kind]:kind:(location acceleration)'
    '(--kind)--all[all devices]'
  )
  times=('--utc[UTC rather than local time]')
  readings=(
    '(--rate)--interval=[for resources without one]:interval:'
    '(--interval)--rate=[the same as a rate]:rate:'
    '--batch=[gather readings this long]:interval:'
    '--filter=[newest sample, or the mean]:filter:(newest mean)'
    '--min-change=[only what moved so much]:change:'
  )
  ends=(
    '--count=[end after so many readings]:number:'
    '--for=[end after this time]:interval:'
  )
  _arguments -C $common '1:command:_sensorctl_commands' '*::word:->words' && return
  case $line[1] in
    get)
      _arguments $common $times '--satellites[each satellite in view]' '--wait[wait for what is unavailable]' \
        '1:resource:_sensorctl_resources' ;;
    watch)
      _arguments $common $readings $ends $times '--satellites[each satellite in view]' '--verbose[all that the broker tells]' \
        '(--no-reconnect)--reconnect[go on when the broker comes back]' \
        '(--reconnect)--no-reconnect[end when the broker goes away]' \
        '*:resource:_sensorctl_resources' ;;
    status) _arguments $common $times '--wide[all there is]' ;;
    record)
      _arguments $common $readings $ends '--max-size=[end before the file is longer]:size:' \
        '*:resource or file:_sensorctl_resources_and_files' ;;
    import)
      _arguments $common \
        '--from=[what the input is]:form:(nmea gpx csv)' \
        '--columns=[which columns hold what]:list:' \
        '--interval=[how far apart the points are]:interval:' \
        '--resource=[what it is called]:resource:_sensorctl_resources' '--force[replace the file that is there]' \
        '*:file:_files' ;;
    export)
      _arguments $common \
        '--to=[what is written]:form:(gpx csv kml geojson)' \
        '--resource=[which one]:resource:_sensorctl_resources' '--force[replace the file that is there]' \
        '*:file:_files' ;;
    mock)
      _arguments $common '--for=[end it after this time]:interval:' \
        '1:fault:(unplug replug gpsd-restart stall late drop overflow lie refuse no-fix satellites jump utc-back week-rollover clear)' \
        '*:resource:_sensorctl_resources' ;;
    set) _arguments $common $readings '1:subscription:' '*:resource:_sensorctl_resources' ;;
    release) _arguments $common $scope '--for=[take them back after this time]:interval:' '1:resource:_sensorctl_resources' ;;
    reacquire) _arguments $common $scope '1:resource:_sensorctl_resources' ;;
    mock)
      _arguments $common '--for=[end it after this time]:interval:' \
        '1:fault:(unplug gpsd-restart stall late overflow drop lie refuse no-fix satellites jump utc-back week-rollover replug clear)' \
        '*:resource:_sensorctl_resources' ;;
    *) _arguments $common ;;
  esac
}

_sensorctl "$@"
