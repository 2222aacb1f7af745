import Diagnosis
import MediaComposition
import MediaTime

/// Tracks and parts of its pictures' files that an output lacks for one reason.
private struct PictureLoss {
  var names: [String]
  var reason: String
  var help: String?
}

extension PicturePlan {
  /// Whether the only source is shown whole, in a container of another kind than its own.
  var isRemuxed: Bool {
    encoding == nil && assets.count == 1 && duration == assets[0].duration && isWhole
      && fadedSpans == nil
  }

  /// Whether all that is shown is the only source, at its own times.
  private var isWhole: Bool {
    guard assets.count == 1, spans.count == 1 else { return false }
    let whole = TimeRange(start: .zero, duration: assets[0].duration)
    return spans[0].source == whole && spans[0].target == whole
  }

  /// Notes on the tracks and parts of its pictures' files that an output lacks, one for each reason.
  package func lossNotes(in output: Output) -> [Diagnostic] {
    guard let first = assets.first, let container = output.movie else { return [] }
    guard !spans.isEmpty else {
      let names = (Self.names(lost) + lostRoles.map { $0.name }).joined(separator: ", ")
      guard !names.isEmpty else { return [] }
      return [
        Diagnostic(
          .note,
          "'\(output.path)': \(container.name) has no place for \(names) of '\(first.location)': left out",
          at: output.origin)
      ]
    }
    let sources = assets.count == 1 ? "'\(first.location)'" : "\(assets.count) sources"
    let losses = [
      lostTracks(of: first), lostSounds, lostStyles, rolesLoss, joinedRolesLoss,
      lostTimecode(of: first),
    ]
    return losses.compactMap(\.self).map { loss in
      Diagnostic(
        .note,
        "'\(output.path)': \(loss.names.joined(separator: ", ")) of \(sources) left out, since "
          + loss.reason, at: output.origin, help: loss.help)
    }
  }

  private static func names(_ tracks: [AssetTrack]) -> [String] {
    Array(Set(tracks.map(\.text))).sorted()
  }

  private func lostTracks(of first: Asset) -> PictureLoss? {
    let names = Self.names(lost.filter { $0.mediaType != .audio })
    guard !names.isEmpty else { return nil }
    guard isRemuxed else {
      return PictureLoss(
        names: names, reason: changes,
        help: "a source that is played whole and copied, as it is, keeps them")
    }
    let own = MovieContainer.allCases.filter { $0.demuxer == first.container && $0 != container }
    if first.container == container.demuxer {
      return PictureLoss(
        names: names, reason: "\(container.name) has no place for them",
        help: "MKV keeps what it has a place for")
    }
    return PictureLoss(
      names: names, reason: "they are not put from one kind of container into another",
      help: own.isEmpty
        ? nil : "an output as \(own.map(\.name).listed("or")) keeps what that has a place for")
  }

  /// Other sounds are lost at another speed alone.
  private var lostSounds: PictureLoss? {
    let names = Self.names(lost.filter { $0.mediaType == .audio })
    guard !names.isEmpty else { return nil }
    return PictureLoss(
      names: names, reason: "at another speed the picture's own sound alone is played",
      help: "leave 'speed' out to keep other sounds")
  }

  private var lostStyles: PictureLoss? {
    guard losesStyles else { return nil }
    return container == .mkv
      ? PictureLoss(names: ["the styles of subtitles"], reason: "those of its sources differ")
      : PictureLoss(
        names: ["the styles of subtitles"], reason: "\(container.name) holds texts without them",
        help: "MKV keeps them")
  }

  /// Roles of the tracks that the output gets for which its container has no place, and whether Matroska has
  /// one; the output's own sound has those of its first source's.
  private var lostRoles: [(name: String, isHeldByMKV: Bool)] {
    ([assets.first?.soundTrack].compactMap(\.self) + tracks).flatMap { track in
      (track.roles ?? []).filter { !container.holds(role: $0, of: track) }.map { role in
        (Self.text(ofRole: role, of: track), MovieContainer.mkv.holds(role: role, of: track))
      }
    }
  }

  private static func text(ofRole role: String, of track: AssetTrack) -> String {
    let name = role == "comment" ? "commentary" : role.replacing("_", with: " ")
    return "the role '\(name)' of stream \(track.index)"
  }

  private var rolesLoss: PictureLoss? {
    let roles = lostRoles
    guard !roles.isEmpty else { return nil }
    return PictureLoss(
      names: roles.map { $0.name },
      reason: "\(container.name) has no place for \(roles.count == 1 ? "it" : "them")",
      help: roles.allSatisfy { $0.isHeldByMKV } ? "MKV keeps roles" : nil)
  }

  /// Roles that tracks of later sources have beyond those of the track that they are joined to.
  private var joinedRolesLoss: PictureLoss? {
    let own = assets.map(\.soundTrack)
    let joined = (sounds + texts).map { (first: $0.first, streams: $0.streams) }
    var names: [String] = []
    for (first, streams) in [(own.first.flatMap(\.self), own)] + joined {
      for track in streams.compactMap(\.self) {
        for role in track.roles ?? [] where first?.roles?.contains(role) != true {
          let name = Self.text(ofRole: role, of: track)
          if !names.contains(name) { names.append(name) }
        }
      }
    }
    guard !names.isEmpty else { return nil }
    return PictureLoss(names: names, reason: "a joined track has the roles of its first source")
  }

  private func lostTimecode(of first: Asset) -> PictureLoss? {
    guard let track = first.pictureTrack, track.timecode != nil else { return nil }
    let isKnown = track.timecode(after: .zero) != nil
    guard encoding == nil else {
      return PictureLoss(
        names: ["the timecode"], reason: "the picture is encoded throughout",
        help: isKnown ? "'video: copy' keeps it" : nil)
    }
    guard !isKnown else { return nil }
    return PictureLoss(
      names: ["the timecode"],
      reason: track.frameDuration == nil
        ? "its pictures do not last equally long" : "no picture has its number")
  }

  /// Why tracks are lost that are kept of a source that is played whole.
  private var changes: String {
    let whole = assets.first.map { TimeRange(start: .zero, duration: $0.duration) }
    let isScaled = spans.contains(where: \.isScaled)
    let isPart = assets.count != 1 || spans.count != 1 || spans[0].source != whole
    let found = [
      isPart || !isScaled && !isWhole ? "cut or joined" : nil,
      isScaled ? "played at another speed" : nil,
      fadedSpans == nil ? nil : "faded",
      encoding == nil ? nil : "encoded",
    ].compactMap(\.self)
    return found.isEmpty
      ? "the output goes on behind the picture" : "the picture is \(found.listed("and"))"
  }
}

extension Asset {
  /// The track of its sound in its file; nil where that has no pictures, or no sound.
  fileprivate var soundTrack: AssetTrack? {
    tracks.first { $0.index == streamIndex && $0.mediaType == .audio }
  }
}
