import MediaComposition
import MediaTime
import Tagging

/// Tags of a source that would not be true of an output.
package struct StaleTags: Sendable, Hashable, Encodable {
  /// Their names.
  package var names: [String]
  /// Why, to stand behind them.
  package var reason: String

  /// Tags with a reason.
  package init(names: [String], reason: String) {
    self.names = names
    self.reason = reason
  }
}

extension Export {
  /// Those of some tags of an output that come from files, and not from the job; `known` are the tags of
  /// all sources, as `HeardSources` has them.
  func inherits(
    _ items: [Metadata.Item], of known: Set<Metadata.Item>, in output: Output
  ) -> [Metadata.Item] {
    items.filter { item in
      known.contains(item) || !output.gives(item.key) && inherits(item.key, in: output)
    }
  }

  private func inherits(_ key: String, in output: Output) -> Bool {
    (output.inheritedTags ?? inheritedTags).contains(key.lowercased())
  }
}

extension Output {
  /// Whether it has a tag of its own, and not of another file.
  fileprivate func gives(_ key: String) -> Bool {
    metadata[key] != nil && inheritedTags?.contains(key.lowercased()) != true
  }
}

/// What is heard of an export, found once for all outputs that ask.
struct HeardSources {
  let export: Export
  /// Whether a source has marks, or loops in its tags.
  let isMarked: Bool
  private(set) lazy var parts = export.heardParts
  /// The tags of all sources.
  private(set) lazy var tags = Set(export.composition.assets.flatMap(\.metadata.items))

  init(of export: Export, _ nodes: [Node]) {
    self.export = export
    isMarked = nodes.contains { node in
      guard case .source(let source, _) = node.kind else { return false }
      return source.asset.marks != nil || source.asset.hasLoopsOfTags
    }
  }
}

extension Graph {
  /// Leaves out what sources say of themselves that is not true of the output, puts gains into the
  /// output's own notation, and moves places.
  func settleFacts(of sink: inout Sink, _ heard: inout HeardSources) {
    let export = heard.export
    let items = sink.metadata.items.filter { TagClass(of: $0.key) != .content }
    let inherited =
      items.isEmpty ? [] : export.inherits(items, of: heard.tags, in: sink.output)
    let hasMarks =
      sink.output.marks != nil || heard.isMarked
      || !sink.chapters.isEmpty && sink.capabilities.places.contains(.cues)
      || items.contains {
        switch TagClass(of: $0.key) {
        case .place, .times: true
        default: false
        }
      }
    // Few files have such tags or chunks.
    guard !inherited.isEmpty || hasMarks else { return }
    let whole = untouchedWhole(of: sink)
    var stale: [String: [String]] = [:]
    let own = leaveOut(inherited, notOf: &heard, from: &sink, &stale)
    guard hasMarks else {
      settle(own, of: &sink, whole, map: nil, &stale)
      return sink.note(stale)
    }
    let map = MarkMap(
      heard.parts, sampleRate: nodes[sink.node].format.sampleRate,
      frameCount: Int64(sink.frames.count))
    settle(own, of: &sink, whole, map: map, &stale)
    var settler = MarkSettler(self, of: sink, in: export, map, whole: whole, tags: heard.tags)
    settler.settle()
    sink = settler.sink
    sink.note(
      stale.merging(settler.lost) { tags, marks in tags + marks.filter { !tags.contains($0) } })
  }

  /// Leaves out what tags of another file say of its sound: `metadata: { from: FILE }` takes what is about
  /// the work. Returns the tags that are settled further.
  private func leaveOut(
    _ inherited: [Metadata.Item], notOf heard: inout HeardSources, from sink: inout Sink,
    _ stale: inout [String: [String]]
  ) -> [Metadata.Item] {
    var own: [Metadata.Item] = []
    for item in inherited {
      if !TagClass(of: item.key).isOfSound || heard.tags.contains(item) {
        own.append(item)
      } else {
        sink.metadata[item.key] = nil
        stale[Self.foreignReason, default: []].append(item.key)
      }
    }
    return own
  }

  /// Settles tags that come from sources; those of loops are settled with other loops.
  private func settle(
    _ inherited: [Metadata.Item], of sink: inout Sink, _ whole: Whole?, map: MarkMap?,
    _ stale: inout [String: [String]]
  ) {
    var levels: [Metadata.Item] = []
    for item in inherited {
      let isOfWhole = whole.map { $0.asset.metadata.items.contains(item) } ?? false
      let kind = TagClass(of: item.key)
      var reason: String?
      switch kind {
      case .content, .file, .unknown, .place(.loop), .place(.marks): reason = nil
      case .headerDate:
        let isHeld = sink.capabilities.holdsHeaderDate || sink.output.gives(item.key)
        reason = isHeld ? nil : Self.headerReason
      case .level: reason = isOfWhole ? nil : Self.levelReason
      case .samples, .bytes:
        reason = isOfWhole && whole?.keepsSamples == true ? nil : Self.sampleReason
      case .times:
        let isTrue = map.map {
          $0.isWhole && $0.opening?.asset.metadata.items.contains(item) == true
        }
        reason = isTrue == true ? nil : MarkSettler.momentReason
      case .frames: reason = isOfWhole && whole?.keepsFrames == true ? nil : Self.sampleReason
      case .place(let place):
        let moved = map.flatMap { Self.moved(item, place, by: $0) }
        sink.metadata[item.key] = moved
        sink.movedTags.append(item.key)
        reason = moved != nil ? nil : Self.reason(place, item.value)
      }
      if reason == nil, !sink.hasPlace(for: item.key, kind) { reason = MarkSettler.placeReason }
      guard let reason else {
        if kind == .level { levels.append(item) }
        continue
      }
      sink.metadata[item.key] = nil
      stale[reason, default: []].append(item.key)
    }
    convert(levels, of: &sink, isFromOpus: whole?.asset.codec == "opus", &stale)
  }

  /// Why a place is in no output.
  private static func reason(_ place: TagClass.Place, _ value: String) -> String {
    guard place == .timeReference else { return MarkSettler.momentReason }
    return BroadcastExtension.timeReference(value) == nil ? MarkSettler.numberReason : timeReason
  }

  static let foreignReason = "it is of a sound that the output does not have"
  static let levelReason = "its level or its length is not the source's"
  static let sampleReason = "its samples are not the source's"
  static let bytesReason = "it is a digest of bytes that its samples no longer have"
  static let headerReason = "it is the date of a movie's header, which its format does not have"
  static let notationReason = "its format has no such tag"
  static let timeReason = "it does not begin with the source's sound"

  /// The value of a tag of the first source in the time of the output; nil where it has none there.
  private static func moved(
    _ item: Metadata.Item, _ place: TagClass.Place, by map: MarkMap
  ) -> String? {
    guard let asset = map.opening?.asset, asset.metadata.items.contains(item) else { return nil }
    switch place {
    case .timeReference:
      return BroadcastExtension.timeReference(item.value).flatMap { map.timeReference($0) }.map {
        "\($0)"
      }
    case .seconds(let isEnd): return moved(item.value) { map.moment($0, isEnd: isEnd) }
    case .length: return moved(item.value) { map.length($0) }
    case .loop, .marks: return nil
    }
  }

  /// A time in another place; as it is written where that is the same.
  private static func moved(_ text: String, _ move: (Time) -> Time?) -> String? {
    guard let time = Time(seconds: text), let moved = move(time) else { return nil }
    return moved == time ? text : moved.secondsText
  }
}

extension Sink {
  /// Whether its file has a place for what a tag says of the sound, as a tag or as a chunk.
  fileprivate func hasPlace(for key: String, _ kind: TagClass) -> Bool {
    guard kind.isOfSound, let held = capabilities.heldTags else { return true }
    switch kind {
    case .place(.loop) where capabilities.places.contains(.loops): return true
    case _ where MarkSettler.broadcastTags.contains(key.lowercased()):
      return capabilities.places.contains(.broadcast)
    default: return held.contains(key.lowercased())
    }
  }
}

extension Sink {
  /// Notes what is left out, in the order of its reasons.
  fileprivate mutating func note(_ lost: [String: [String]]) {
    let usual = [Graph.levelReason, Graph.sampleReason, Graph.notationReason, Graph.timeReason]
    let reasons = usual + lost.keys.filter { !usual.contains($0) }.sorted()
    staleTags += reasons.compactMap { reason in
      lost[reason].map { StaleTags(names: $0, reason: reason) }
    }
  }
}

extension Time {
  /// Seconds in digits, as radio automation writes them: `12.5`; nil for anything else.
  fileprivate init?(seconds text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count <= 2, let whole = Int64(parts[0]), 0...1 << 31 ~= whole else { return nil }
    let digits = parts.count == 2 ? parts[1].prefix(9) : ""
    guard let ticks = Int64(digits.isEmpty ? "0" : digits), ticks >= 0 else { return nil }
    let scale = digits.reduce(Int32(1)) { scale, _ in scale * 10 }
    self.init(value: whole * Int64(scale) + ticks, timescale: scale)
  }

  /// Seconds in digits, to the next microsecond.
  fileprivate var secondsText: String {
    let (seconds, rest) = frames(atRate: 1_000_000).quotientAndRemainder(dividingBy: 1_000_000)
    var digits = String("\(1_000_000 + rest)".dropFirst())
    while digits.count > 1, digits.hasSuffix("0") { digits.removeLast() }
    return "\(seconds).\(digits)"
  }
}

extension Asset {
  /// What a file has about its work, beside the sound, by its name for people.
  package enum Companion: String, Sendable, Hashable, CaseIterable {
    case tags, cover, chapters
  }

  /// What it has of these. O(tags)
  package var companions: [Companion] {
    var found: [Companion] = []
    if metadata.items.contains(where: { isOfWork($0.key) }) { found.append(.tags) }
    if metadata.cover != nil { found.append(.cover) }
    if !chapters.isEmpty { found.append(.chapters) }
    return found
  }

  /// The keys of tags about its sound that do not go along into a sequence or a mix without tags. What
  /// `bext` has follows that chunk, unless an output has no place for it.
  package func soundTags(withBroadcast isPlaced: Bool) -> [String] {
    let isInChunk = isPlaced && marks?.broadcast != nil
    return metadata.items.filter { item in
      switch TagClass(of: item.key) {
      case .place(.loop): false
      case .place(.timeReference): item.value != "0" && !isInChunk
      case .samples: !isInChunk || item.key.lowercased() != "umid"
      case let other: other.isOfSound
      }
    }.map(\.key)
  }

  /// Whether a tag moves with the sound of a file whose tags an output has.
  package static func isPlace(_ key: String) -> Bool {
    if case .place = TagClass(of: key) { true } else { false }
  }

  /// Whether a tag is of the work, and not what a recorder says of its recording: the texts of `bext` (EBU
  /// Tech 3285, 2.3), a day, a language, a program.
  private func isOfWork(_ key: String) -> Bool {
    let name = key.lowercased()
    let isOfRecorder =
      ["date", "creation_time", "encoded_by", "encoder", "language"].contains(name)
      || marks?.broadcast != nil
        && ["comment", "originator_reference", "coding_history"].contains(name)
    return !isOfRecorder && TagClass(of: name) == .content
  }
}

extension Export {
  /// The only source, and what of it no output has, if there is something: what comes with several is
  /// not expected in an output, as their tags are not. The texts that the words were read from are not
  /// missed where an output has a place for words.
  package var unread: (asset: Asset, parts: [String])? {
    let assets = composition.assets
    guard assets.count == 1, let asset = assets.first else { return nil }
    let isWritten = transcript?.cues.isEmpty == false && outputs.contains { !$0.transcript.isEmpty }
    let kept = isWritten ? keptTexts.filter { $0.location == asset.location } : []
    var parts = asset.unread.filter { part in
      !kept.contains { part.hasPrefix("subtitles of stream \($0.streamIndex) ") }
    }
    if !outputs.contains(where: \.keepsPicture) {
      let others = asset.tracks.filter { track in
        track.index != asset.streamIndex && track.mediaType != .video
          && !kept.contains { $0.streamIndex == track.index }
      }
      parts += others.prefix(20).map(\.text)
    }
    return parts.isEmpty ? nil : (asset, parts)
  }
}

extension Graph {
  /// A source of which all is an output, from its first frame to its last, at its own level.
  struct Whole {
    var asset: Asset
    /// Whether the output has each of its samples.
    var keepsSamples: Bool
    /// Whether it has each of its frames of MP3.
    var keepsFrames: Bool
  }

  /// nil where more, less or other than all of one source is heard.
  private func untouchedWhole(of sink: Sink) -> Whole? {
    var id = sink.node
    guard nodes[id].frames == sink.frames else { return nil }
    while true {
      let node = nodes[id]
      guard node.level.isUnity else { return nil }
      switch node.kind {
      case .convert(let child):
        guard nodes[child].format.channelLayout == node.format.channelLayout,
          Self.keepsBand(from: nodes[child].format.sampleRate, to: node.format.sampleRate)
        else { return nil }
        id = child
      case .mix(let children):
        guard children.count == 1, nodes[children[0]].frames == node.frames else { return nil }
        id = children[0]
      case .source(let source, let start):
        let asset = source.asset
        let rates = FrameRatio(from: asset.sampleRate, to: node.format.sampleRate)
        guard start == 0, node.frames.lowerBound == 0, source.matrix.isPermutation,
          // Both are rounded.
          abs(Int64(node.frames.count) - source.frameCount) <= (rates == .one ? 0 : 1),
          source.ratio == rates,
          Self.keepsBand(from: asset.sampleRate, to: node.format.sampleRate)
        else { return nil }
        let isSame = UntouchedSpans(nodes, of: sink.node, in: sink.frames).only != nil
        let isCopied = sink.copied?.isWhole == true
        return Whole(
          asset: asset,
          keepsSamples: isSame
            && (isCopied
              || sink.format.kind.capabilities.isLossless && asset.holdsSamples(for: sink.format)),
          keepsFrames: isSame && isCopied && sink.format.kind == .mp3)
      case .process, .excerpt, .duck: return nil
      }
    }
  }

  /// Whether a conversion leaves all that has a say in loudness: ITU-R BS.1770 weighs what is below
  /// half of 32 kHz.
  private static func keepsBand(from old: Int, to new: Int) -> Bool { new >= min(old, 32_000) }
}
