"""Remote commands over the session bus (MPRIS), where a player has a name there."""

import sys

PREFIX = "org.mpris.MediaPlayer2."
PLAYER, ROOT = "org.mpris.MediaPlayer2.Player", "/org/mpris/MediaPlayer2"
PROPERTIES = "org.freedesktop.DBus.Properties"


class Remote:
    """The one player on a desk's bus."""

    def __init__(self, bus, name):
        import dbus
        self.dbus = dbus
        there = bus.get_object(name, ROOT)
        self.player = dbus.Interface(there, PLAYER)
        self.properties = dbus.Interface(there, PROPERTIES)

    def call(self, method, *arguments):
        getattr(self.player, method)(*arguments, timeout=5)

    def set(self, name, value):
        self.properties.Set(PLAYER, name, self.dbus.Double(value), timeout=5)

    def get(self, name):
        return self.properties.Get(PLAYER, name, timeout=5)


def find(desk):
    """The player on a desk's bus; None if there is none."""
    try:
        import dbus
        import dbus.bus
    except ImportError:
        print("no python3-dbus: no remote commands", file=sys.stderr)
        return None
    bus = dbus.bus.BusConnection(desk.environment["DBUS_SESSION_BUS_ADDRESS"])
    names = [name for name in bus.list_names() if name.startswith(PREFIX)]
    return Remote(bus, names[0]) if names else None


def commands(desk):
    """A function that sends a command of `players.REMOTE` and waits for the answer; None without a
    player on the bus."""
    remote = find(desk)
    if not remote:
        return None

    def send(command):
        name, *arguments = command
        if name in ("Volume", "Rate"):
            remote.set(name, *arguments)
        else:
            remote.call(name, *map(remote.dbus.Int64, arguments))

    return send


def steering(desk):
    """A function that sends one random command and returns whether it was taken; None without a
    player on the bus."""
    remote = find(desk)
    if not remote:
        return None

    def seek(dice):
        remote.call("Seek", remote.dbus.Int64(dice.choice((-5, 5, 30, -30, 1000)) * 1_000_000))

    def steer(dice):
        commands = [
            lambda: remote.call(dice.choice(("Play", "Pause", "PlayPause", "Next", "Previous"))),
            lambda: seek(dice),
            lambda: remote.set("Volume", dice.choice((0.2, 0.5, 1.0))),
            lambda: remote.set("Rate", dice.choice((0.5, 1.0, 1.5))),
            lambda: remote.get(dice.choice(("Position", "PlaybackStatus", "Metadata")))]
        try:
            dice.choice(commands)()
            return 1
        except remote.dbus.DBusException:
            # A command may be refused; a player that hangs shows in its keys.
            return 0

    return steer
