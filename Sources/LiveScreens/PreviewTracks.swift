import Diagnosis
import MediaComposition
import MediaTime
import NowPlaying
import Playback
import SystemPackage

/// What other programs may go to: the chapters of an entry or, if it has none, the entries.
struct PreviewTracks {
  /// The tracks, in order.
  private(set) var list: [NowPlayingTrack] = []
  /// What goes to each, by its identity.
  private var commands: [String: PlayerCommand] = [:]
  /// The starts of chapters.
  private var starts: [Time] = []
  /// The index of the entry in `list`.
  private var entry: Int?

  /// No tracks.
  init() {}

  /// The tracks beside an entry, which `info` describes.
  ///
  /// - Complexity: O(chapters), or O(entries) without chapters
  init(of item: PlayerItem, _ info: NowPlayingInfo, _ items: PreviewItems) {
    starts = item.chapters.map(\.start)
    let ends = starts.dropFirst() + [item.duration]
    for (number, (chapter, end)) in zip(1..., zip(item.chapters, ends)) {
      var track = NowPlayingTrack(
        id: "\(info.externalContentIdentifier)chapter\(number)", title: chapter.title)
      (track.artist, track.albumTitle) = (info.artist, info.title)
      (track.albumTrackNumber, track.playbackDuration) = (number, end - chapter.start)
      add(track, .seek(.to(chapter.start)))
    }
    guard starts.isEmpty else { return }
    let playlist = items.playlist
    entry = playlist.index(of: item)
    for (index, other) in playlist.entries.enumerated() {
      var track = NowPlayingTrack(id: Self.identity(ofEntry: index), title: other.entry.name)
      track.albumTrackNumber = index + 1
      track.playbackDuration = other.item?.duration
      add(track, .entry(.to(index)))
    }
  }

  private mutating func add(_ track: NowPlayingTrack, _ command: PlayerCommand) {
    list.append(track)
    commands[track.id] = command
  }

  /// The identity of an entry.
  static func identity(ofEntry index: Int) -> String { "entry\(index + 1)" }

  /// Whether the tracks are chapters.
  var hasChapters: Bool { !starts.isEmpty }

  /// The index of the current track at a time of the entry. O(chapters).
  func index(at time: Time) -> Int? {
    hasChapters ? starts.lastIndex { $0 <= time } : entry
  }

  /// What goes to a track; nil: there is no such one.
  func command(of id: String) -> PlayerCommand? { commands[id] }
}

extension PreviewItems {
  /// An entry in the words of other programs: its tags, and its name where it has no title.
  func nowPlayingInfo(ofEntry index: Int, as item: PlayerItem) -> NowPlayingInfo {
    let entry = playlist[index].entry
    let tags = metadata(of: entry)
    func tag(_ key: String) -> String? { tags[key].flatMap { $0.isEmpty ? nil : $0 } }
    // `3/12`
    func number(_ key: String) -> Int? {
      tag(key).flatMap { $0.split(separator: "/").first }.flatMap { Int($0) }
    }
    var info = NowPlayingInfo(
      externalContentIdentifier: PreviewTracks.identity(ofEntry: index),
      title: tag("title") ?? item.name)
    (info.artist, info.albumTitle) = (tag("artist"), tag("album"))
    (info.albumArtist, info.composer) = (tag("album_artist"), tag("composer"))
    (info.genre, info.comments, info.releaseDate) = (tag("genre"), tag("comment"), tag("date"))
    (info.albumTrackNumber, info.discNumber) = (number("track"), number("disc"))
    info.playbackDuration = item.duration
    info.assetURL = entry.medium.flatMap { medium in
      switch medium.redacted {
      case .file(let path): path.uri
      case .remote(let url): url.absoluteText
      // No other program can open it.
      case .source: nil
      }
    }
    return info
  }
}

extension FilePath {
  /// The address of the file, with the bytes that a URI has no letter for as `%2F` (RFC 8089).
  var uri: String {
    "file://"
      + normalized(in: .current).bytes.percentEncoded { $0.isUnreserved || $0 == UInt8(ascii: "/") }
  }
}
