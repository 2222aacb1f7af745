import DBus
import MediaTime

/// What is known of tracks, as MPRIS names it (MPRIS v2 metadata guidelines).
struct MediaPlayerMetadata {
  /// The start of tracks' paths, and of the names of what MPRIS has no name for.
  let application: String

  /// The most code points of a text that are sent.
  private static let mostScalars = 4096

  /// The path of a track: what no path may hold becomes `_` and two digits.
  func path(ofTrack id: String) -> String {
    let name = id.utf8.prefix(256).reduce(into: "") { name, byte in
      let character = Character(Unicode.Scalar(byte))
      if character.isASCII, character.isLetter || character.isNumber {
        name.append(character)
      } else {
        name += "_" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }
    }
    return "/\(application)/\(name.isEmpty ? "_" : name)"
  }

  /// The metadata of what is playing; nil: nothing.
  func dictionary(of info: NowPlayingInfo?) -> DBusValue {
    guard let info else {
      return .dictionary([.init("mpris:trackid", .objectPath(MediaPlayerInterfaces.noTrack))])
    }
    var entries = [
      DBusValue.Entry(
        "mpris:trackid", .objectPath(path(ofTrack: info.externalContentIdentifier)))
    ]
    func add(_ key: String, _ value: DBusValue?) {
      if let value { entries.append(DBusValue.Entry(key, value)) }
    }
    add("mpris:length", (info.playbackDuration?.microseconds).map { .int64($0) })
    add("mpris:artUrl", text(info.artworkURL))
    add("xesam:title", text(info.title))
    add("xesam:artist", list(info.artist))
    add("xesam:album", text(info.albumTitle))
    add("xesam:albumArtist", list(info.albumArtist))
    add("xesam:genre", list(info.genre))
    add("xesam:composer", list(info.composer))
    add("xesam:comment", list(info.comments))
    add("xesam:contentCreated", text(info.releaseDate))
    add("xesam:trackNumber", number(info.albumTrackNumber))
    add("xesam:discNumber", number(info.discNumber))
    add("xesam:url", text(info.assetURL))
    add("\(application):chapter", text(info.chapterTitle))
    return .dictionary(entries)
  }

  /// The metadata of a track of the list.
  func dictionary(of track: NowPlayingTrack) -> DBusValue {
    var entries = [DBusValue.Entry("mpris:trackid", .objectPath(path(ofTrack: track.id)))]
    func add(_ key: String, _ value: DBusValue?) {
      if let value { entries.append(DBusValue.Entry(key, value)) }
    }
    add("mpris:length", (track.playbackDuration?.microseconds).map { .int64($0) })
    add("xesam:title", text(track.title))
    add("xesam:artist", list(track.artist))
    add("xesam:album", text(track.albumTitle))
    add("xesam:trackNumber", number(track.albumTrackNumber))
    return .dictionary(entries)
  }

  private func text(_ text: String?) -> DBusValue? {
    text.map { .string(String($0.unicodeScalars.prefix(Self.mostScalars))) }
  }

  private func list(_ text: String?) -> DBusValue? {
    self.text(text).map { .array(of: "s", [$0]) }
  }

  private func number(_ number: Int?) -> DBusValue? { number.map { .int32(Int32(clamping: $0)) } }
}
