# What Tests/Rigs/desk.py needs. Sourced, with scripts/setup.bash.
# shellcheck shell=bash disable=SC2154  # What one script sets, the other uses.

# PulseAudio and PipeWire side by side. On a desktop that has PipeWire for its own sound, PulseAudio's
# package would take that away.
provide_desk() {
  if [[ -z $(command -v pulseaudio) && -n $(command -v dpkg-query) ]] \
    && [[ $(dpkg-query -W -f '${db:Status-Status}' pipewire-alsa 2>/dev/null) == installed ]]; then
    die "The package pulseaudio would replace pipewire-alsa, this machine's own sound: run this in a" \
      "container or on another machine."
  fi
  require_packages pulseaudio pulseaudio-utils libasound2-plugins pipewire-bin wireplumber \
    dbus-daemon libglib2.0-0 mpv python3 python3-numpy python3-dbus
}

# usage: on_desk COMMAND OPTION…
on_desk() {
  /usr/bin/python3 "$root/Tests/Rigs/desk.py" "$1" --avjob "$AVJOB_BINARY" "${@:2}"
}
