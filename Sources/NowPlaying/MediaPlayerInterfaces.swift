import DBus

/// The interfaces of MPRIS, the Media Player Remote Interfacing Specification, version 2.2
/// (https://specifications.freedesktop.org/mpris-spec/2.2/).
enum MediaPlayerInterfaces {
  static let root = "org.mpris.MediaPlayer2"
  static let player = "org.mpris.MediaPlayer2.Player"
  static let trackList = "org.mpris.MediaPlayer2.TrackList"
  /// The object that has them.
  static let path = "/org/mpris/MediaPlayer2"
  /// The track of nothing.
  static let noTrack = "/org/mpris/MediaPlayer2/TrackList/NoTrack"

  private typealias Method = DBusInterface.Method
  private typealias Parameter = DBusInterface.Parameter
  private typealias Property = DBusInterface.Property
  private typealias Signal = DBusInterface.Signal

  /// All interfaces; `DesktopEntry` is optional.
  static func all(hasDesktopEntry: Bool) -> [DBusInterface] {
    [
      DBusInterface(
        root, methods: [Method("Raise"), Method("Quit")],
        properties: [
          Property("CanQuit", "b"), Property("CanRaise", "b"), Property("HasTrackList", "b"),
          Property("Identity", "s"),
        ] + (hasDesktopEntry ? [Property("DesktopEntry", "s")] : []) + [
          Property("SupportedUriSchemes", "as"), Property("SupportedMimeTypes", "as"),
        ]),
      DBusInterface(
        player,
        methods: [
          Method("Next"), Method("Previous"), Method("Pause"), Method("PlayPause"), Method("Stop"),
          Method("Play"), Method("Seek", [Parameter("Offset", "x")]),
          Method("SetPosition", [Parameter("TrackId", "o"), Parameter("Position", "x")]),
          Method("OpenUri", [Parameter("Uri", "s")]),
        ],
        signals: [Signal("Seeked", [Parameter("Position", "x")])],
        properties: playerProperties),
      DBusInterface(
        trackList,
        methods: [
          Method(
            "GetTracksMetadata", [Parameter("TrackIds", "ao")],
            results: [Parameter("Metadata", "aa{sv}")]),
          Method(
            "AddTrack",
            [Parameter("Uri", "s"), Parameter("AfterTrack", "o"), Parameter("SetAsCurrent", "b")]),
          Method("RemoveTrack", [Parameter("TrackId", "o")]),
          Method("GoTo", [Parameter("TrackId", "o")]),
        ],
        signals: [
          Signal("TrackListReplaced", [Parameter("Tracks", "ao"), Parameter("CurrentTrack", "o")]),
          Signal("TrackAdded", [Parameter("Metadata", "a{sv}"), Parameter("AfterTrack", "o")]),
          Signal("TrackRemoved", [Parameter("TrackId", "o")]),
          Signal(
            "TrackMetadataChanged", [Parameter("TrackId", "o"), Parameter("Metadata", "a{sv}")]),
        ],
        properties: [Property("Tracks", "ao", .invalidation), Property("CanEditTracks", "b")]),
    ]
  }

  private static let playerProperties = [
    Property("PlaybackStatus", "s"), Property("LoopStatus", "s", isWritable: true),
    Property("Rate", "d", isWritable: true), Property("Shuffle", "b", isWritable: true),
    Property("Metadata", "a{sv}"), Property("Volume", "d", isWritable: true),
    Property("Position", "x", .none), Property("MinimumRate", "d"), Property("MaximumRate", "d"),
    Property("CanGoNext", "b"), Property("CanGoPrevious", "b"), Property("CanPlay", "b"),
    Property("CanPause", "b"), Property("CanSeek", "b"), Property("CanControl", "b", .none),
  ]

  /// The properties of each interface that may change, and whose changes are signalled with their
  /// values.
  static let watched: [(interface: String, properties: [String])] = [
    (root, ["CanQuit"]),
    (player, playerProperties.filter { $0.changeSignal == .value }.map(\.name)),
  ]
}
