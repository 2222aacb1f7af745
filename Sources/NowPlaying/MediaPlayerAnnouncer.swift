import DBus

/// Signals what has changed since the last time.
struct MediaPlayerAnnouncer {
  private typealias Names = MediaPlayerInterfaces
  private let object: MediaPlayerObject
  private let core: NowPlayingCore
  /// What was signalled of each interface, and its values.
  private var values: [String: [String: DBusValue]] = [:]
  private var tracks: [NowPlayingTrack] = []
  private var revision = -1

  /// An announcer that takes the present state as known.
  init(_ object: MediaPlayerObject, _ core: NowPlayingCore) {
    (self.object, self.core) = (object, core)
    for (interface, names) in Names.watched { values[interface] = current(names, of: interface) }
    tracks = Array(object.visibleTracks.tracks)
    revision = core.read { $0.revision }
    _ = core.takeJump()
  }

  private func current(_ names: [String], of interface: String) -> [String: DBusValue] {
    names.reduce(into: [:]) { $0[$1] = try? object.property($1, of: interface) }
  }

  /// Signals changes: first those of tracks, so that a current one is known.
  ///
  /// - Throws: A lost connection.
  mutating func announce(on connection: DBusConnection) throws(DBusError) {
    let revision = core.read { $0.revision }
    if revision != self.revision {
      self.revision = revision
      try announceTracks(on: connection)
      for (interface, names) in Names.watched {
        let current = current(names, of: interface)
        let changed = names.filter { current[$0] != values[interface]?[$0] }
        values[interface] = current
        try connection.emitPropertiesChanged(changed, of: interface, at: Names.path)
      }
    }
    guard core.takeJump() else { return }
    try connection.emit("Seeked", of: Names.player, at: Names.path, [.int64(object.position)])
  }

  private mutating func announceTracks(on connection: DBusConnection) throws(DBusError) {
    let (visible, current) = object.visibleTracks
    guard !visible.elementsEqual(tracks) else { return }
    let before = tracks
    tracks = Array(visible)
    let metadata = object.metadata
    func emit(_ signal: String, _ values: [DBusValue]) throws(DBusError) {
      try connection.emit(signal, of: Names.trackList, at: Names.path, values)
    }
    func path(_ track: NowPlayingTrack?) -> DBusValue {
      .objectPath(track.map { metadata.path(ofTrack: $0.id) } ?? Names.noTrack)
    }
    let hasSameStart =
      tracks.count >= before.count && zip(tracks, before).allSatisfy { $0.id == $1.id }
    guard hasSameStart, !before.isEmpty else {
      try emit(
        "TrackListReplaced", [.array(of: "o", tracks.map { path($0) }), path(current)])
      return try connection.emitPropertiesChanged(["Tracks"], of: Names.trackList, at: Names.path)
    }
    for (track, old) in zip(tracks, before) where track != old {
      try emit("TrackMetadataChanged", [path(track), metadata.dictionary(of: track)])
    }
    for index in before.count..<tracks.count {
      let added = tracks[index]
      try emit("TrackAdded", [metadata.dictionary(of: added), path(tracks[index - 1])])
    }
    guard tracks.count > before.count else { return }
    try connection.emitPropertiesChanged(["Tracks"], of: Names.trackList, at: Names.path)
  }
}
