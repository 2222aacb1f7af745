import Diagnosis
import MediaComposition
import MediaTime
import Tagging

/// Settles what one output holds of the marks of its sources.
///
/// They are those of the source that alone sounds at its start, or else of its only source: other facts
/// would be true of a part alone.
struct MarkSettler {
  let graph: Graph
  let export: Export
  let map: MarkMap
  /// The source of which all is in the output.
  let whole: Graph.Whole?
  /// The tags of all sources.
  let tags: Set<Metadata.Item>
  var sink: Sink
  /// What is not written, by the reason.
  private(set) var lost: [String: [String]] = [:]

  /// Whose marks they are.
  let base: Asset?
  let places: Set<OutputCapabilities.Place>
  /// The time reference that the job itself gives; 0 where it takes the source's away, and nil where it
  /// says nothing.
  private var givenTime: UInt64?

  init(
    _ graph: Graph, of sink: Sink, in export: Export, _ map: MarkMap, whole: Graph.Whole?,
    tags: Set<Metadata.Item>
  ) {
    (self.graph, self.sink, self.export, self.map, self.whole) = (graph, sink, export, map, whole)
    self.tags = tags
    let assets = export.composition.assets
    base = map.opening?.asset ?? (assets.count == 1 ? assets.first : nil)
    places = sink.capabilities.places
  }

  static let placeReason = "its format has no place for it"
  static let damageReason = "it is damaged, and what it says of places cannot be moved"
  static let momentReason = "what it marks is not heard whole, once and alone in the output"

  static let numberReason = "it is no number of frames and no time"
  static let clockReason = "their places cannot be moved with the time reference"

  /// Whether each sample of the base, and nothing else, is in the output.
  var isIdentical: Bool {
    guard let whole, let base else { return false }
    return whole.keepsSamples && whole.asset.isSameSound(as: base)
  }

  var sampleRate: Int { graph.nodes[sink.node].format.sampleRate }

  mutating func settle() {
    if base == nil { nameUnclaimed() }
    keepChunks()
    settleCueSheet()
    // Its chunks say all that follows.
    if sink.format.kind == .flac, sink.marks.identical != nil { return }
    givenTime =
      isRemoved("time_reference")
      ? 0 : given("time_reference").flatMap { BroadcastExtension.timeReference($0) }
    settleBroadcast()
    settleDescription()
    settleCart()
    settleLoops()
    settleLoopMarkers()
    settleCues()
    numberLoops()
  }

  /// Names the chunks of sources of which none begins the output alone, so that no clock holds for it.
  private mutating func nameUnclaimed() {
    let assets = export.composition.assets.sorted {
      ($0.location, $0.streamIndex) < ($1.location, $1.streamIndex)
    }
    for asset in assets where !asset.loops.isEmpty && !(isLoopRemoved && asset.hasLoopsOfTags) {
      for name in asset.loopNames { lose(name, Self.momentReason) }
    }
    for marks in assets.compactMap(\.marks) {
      if marks.broadcast != nil { lose("bext", Graph.timeReason) }
      if marks.cart != nil { lose("cart", Graph.timeReason) }
      if marks.iXML != nil { lose("iXML", Graph.timeReason) }
      if let sheet = marks.cueSheet { loseCueSheet(sheet, Graph.timeReason) }
    }
  }

  mutating func lose(_ name: String, _ reason: String) {
    if lost[reason]?.contains(name) != true { lost[reason, default: []].append(name) }
  }

  /// Whether a chunk of the source has a place in the output; else it is named.
  mutating func isPlaced(_ name: String, in place: OutputCapabilities.Place) -> Bool {
    if places.contains(place) { return true }
    lose(name, Self.placeReason)
    return false
  }
}

// MARK: - bext and iXML

extension MarkSettler {
  /// The tags of a `bext` chunk that WAV has no other place for, by FFmpeg's names.
  static let broadcastTags = [
    "time_reference", "originator_reference", "coding_history", "umid",
  ]

  private mutating func settleBroadcast() {
    // Other formats have its texts as tags, if they have any.
    guard places.contains(.broadcast) else {
      guard let old = base?.marks?.broadcast, sink.capabilities.heldTags?.isEmpty == true else {
        return
      }
      let hasTexts = Self.textFields.contains { key, field in
        !old[keyPath: field].isEmpty && !isRemoved(key)
      }
      if hasTexts { lose("texts of bext", Self.placeReason) }
      if old.timeReference > 0, map.timeReference(old.timeReference) != nil {
        lose("time_reference", Self.placeReason)
      }
      return
    }
    let request = sink.output.marks
    let isTagged = sink.metadata["time_reference"] != nil
    guard request?.removesBroadcast != true,
      base?.marks?.broadcast != nil || isTagged || request?.broadcast != nil
    else { return }
    var broadcast = base?.marks?.broadcast ?? broadcastOfTags
    if !isIdentical {
      if let old = base?.marks?.broadcast {
        broadcast.timeReference = map.timeReference(old.timeReference) ?? 0
        if old.timeReference > 0, broadcast.timeReference == 0, !isRemoved("time_reference") {
          lose("time_reference", Graph.timeReason)
        }
        if !old.umid.isEmpty, !isRemoved("umid") { lose("umid", Graph.sampleReason) }
      }
      (broadcast.umid, broadcast.loudness) = ([], nil)
      if broadcast.codingHistory.isEmpty { broadcast.codingHistory = historyOfSource }
      sink.marks.step = step
    }
    takeGivenTags(&broadcast)
    removeTags(of: &broadcast)
    if let asked = request?.broadcast {
      broadcast.description = asked.description ?? broadcast.description
      broadcast.originator = asked.originator ?? broadcast.originator
      broadcast.originatorReference = asked.originatorReference ?? broadcast.originatorReference
    }
    sink.marks.measuresLoudness =
      (sink.output.loudness ?? export.loudness) != nil || sink.output.conform?.isEmpty == false
      || request?.broadcast?.measuresLoudness == true
    sink.marks.broadcast = broadcast
    takeTags(of: broadcast)
  }

  /// Puts tags that the job itself gives its output, and that WAV has no other place for, into the chunk.
  private func takeGivenTags(_ broadcast: inout BroadcastExtension) {
    broadcast.originatorReference = given("originator_reference") ?? broadcast.originatorReference
    broadcast.codingHistory = given("coding_history") ?? broadcast.codingHistory
    broadcast.timeReference = givenTime ?? broadcast.timeReference
  }

  /// A tag that is neither a source's nor another file's.
  private func given(_ key: String) -> String? {
    let items = sink.metadata.items.filter { $0.key.lowercased() == key }
    return export.inherits(items, of: tags, in: sink.output).isEmpty ? items.first?.value : nil
  }

  /// Empties the fields whose tags the job takes away: what it removes from other formats would stay in
  /// a WAV alone. Without its history, there is none of this output either.
  private mutating func removeTags(of broadcast: inout BroadcastExtension) {
    for (key, field) in Self.textFields where isRemoved(key) { broadcast[keyPath: field] = "" }
    if isRemoved("date") { broadcast.originationTime = "" }
    if isRemoved("umid") { broadcast.umid = [] }
    if isRemoved("coding_history") { sink.marks.step = nil }
  }

  /// The texts of `bext` by the names of their tags.
  private static var textFields: [(key: String, field: WritableKeyPath<BroadcastExtension, String>)]
  {
    [
      ("comment", \.description), ("encoded_by", \.originator),
      ("originator_reference", \.originatorReference), ("date", \.originationDate),
      ("coding_history", \.codingHistory),
    ]
  }

  /// The keys of tags that the job takes away from what sources say, for this output or for all.
  var removedKeys: [String] {
    sink.output.removedTags ?? (export.removedTags ?? []) + sink.output.metadata.removedKeys
  }

  /// Whether the job gives a tag an empty text, and the output no other.
  private func isRemoved(_ key: String) -> Bool {
    if sink.metadata[key]?.isEmpty == true { return true }
    return removedKeys.contains(key) && sink.output.metadata.values(of: key).allSatisfy(\.isEmpty)
  }

  /// What tags of a source in another format say.
  private var broadcastOfTags: BroadcastExtension {
    var broadcast = BroadcastExtension()
    broadcast.timeReference =
      sink.metadata["time_reference"]
      .flatMap { BroadcastExtension.timeReference($0) } ?? 0
    broadcast.originatorReference = sink.metadata["originator_reference"] ?? ""
    broadcast.codingHistory = sink.metadata["coding_history"] ?? ""
    return broadcast
  }

  /// Removes the tags that say what the chunk says, or what it said in the source.
  private mutating func takeTags(of broadcast: BroadcastExtension) {
    for key in Self.broadcastTags { sink.metadata[key] = nil }
    let old = base?.marks?.broadcast
    for (key, texts) in [
      ("comment", [broadcast.description, old?.description]),
      ("encoded_by", [broadcast.originator, old?.originator]),
    ] where texts.contains(sink.metadata[key]) && sink.output.metadata[key] == nil {
      sink.metadata[key] = nil
    }
  }

  /// A row for the source, where it has none of its own.
  private var historyOfSource: String {
    guard let base else { return "" }
    let algorithm: String
    switch base.codec {
    case "mp3", "mp3float": algorithm = "MPEG1L3"
    case "mp2", "mp2float": algorithm = "MPEG1L2"
    case _ where base.outputKind?.capabilities.isLossless == true: algorithm = "PCM"
    default: algorithm = base.codec.uppercased()
    }
    return CodingHistory.row(
      algorithm: algorithm, sampleRate: base.sampleRate, wordLength: base.bitDepth,
      mode: base.channelLayout.codingMode)
  }

  /// What was done to the sound, in a few words.
  private var step: String {
    var words: [String] = []
    let parts = map.parts
    if export.composition.assets.count > 1 { words.append("mix") }
    let isWhole = parts.count == 1 && parts[0].source.duration >= parts[0].asset.duration
    if !isWhole { words.append("cut") }
    if parts.contains(where: \.isReversed) { words.append("reverse") }
    if parts.contains(where: { $0.source.duration != $0.target.duration }) { words.append("speed") }
    words += graph.codingSteps(of: sink.node)
    if let target = sink.output.loudness ?? export.loudness {
      words.append(target.level.description.ascii)
    }
    if sink.isDithered { words.append("dither") }
    return words.joined(separator: ";")
  }

  private mutating func settleDescription() {
    guard var text = base?.marks?.iXML, isPlaced("iXML", in: .iXML) else { return }
    guard isIdentical || !text.isDamaged else { return lose("iXML", Self.damageReason) }
    defer { sink.marks.iXML = text }
    guard !isIdentical else { return copyChanges(into: &text) }
    let old = text.timestamp
    let new = givenTime ?? old.flatMap { map.timeReference($0) }
    if old != nil || givenTime != nil { text.setTimestamp(new ?? 0) }
    var texts = [
      ("SPEED/TIMESTAMP_SAMPLE_RATE", "\(sampleRate)"),
      ("SPEED/FILE_SAMPLE_RATE", "\(sampleRate)"),
    ]
    if let depth = sink.format.integerDepth { texts.append(("SPEED/AUDIO_BIT_DEPTH", "\(depth)")) }
    // One that is made of tags alone has no texts.
    if let own = sink.marks.broadcast,
      base?.marks?.broadcast != nil || sink.output.marks?.broadcast != nil
    {
      texts += Self.copies.map { ($0.path, own[keyPath: $0.field]) }
    }
    for (path, value) in texts { text.set(path, to: value) }
    text.moveSyncPoints { frame, isAbsolute in
      let (from, to) = isAbsolute ? (old, new) : (0, 0)
      guard let from, let to, frame >= from else { return nil }
      return map.frame(Int64(clamping: frame - from), isEnd: false).flatMap { moved in
        let (sum, isTooLate) = to.addingReportingOverflow(UInt64(clamping: moved))
        return isTooLate ? nil : sum
      }
    }
    for path in Self.identities where text.remove(path) {
      lose("iXML's \(path)", Graph.sampleReason)
    }
    if let base, base.channelLayout != graph.nodes[sink.node].format.channelLayout,
      text.remove("TRACK_LIST")
    {
      lose("iXML's TRACK_LIST", "its channels are not the source's")
    }
  }

  /// Puts the texts that `bext` has no more into the copies of them, where all else stays.
  private mutating func copyChanges(into text: inout IXML) {
    if let given = givenTime {
      if let old = text.timestamp {
        // A point before the sound's start stays before it, down to midnight.
        let count = text.moveAbsoluteSyncPoints { frame in
          let (moved, isBeyond) =
            frame >= old
            ? given.addingReportingOverflow(frame - old)
            : given.subtractingReportingOverflow(old - frame)
          return isBeyond ? nil : moved
        }
        if count > 0 { lose("sync points of iXML", Self.clockReason) }
      }
      text.setTimestamp(given)
    }
    guard let own = sink.marks.broadcast, let old = base?.marks?.broadcast else { return }
    for (path, field) in Self.copies where own[keyPath: field] != old[keyPath: field] {
      text.set(path, to: own[keyPath: field])
    }
    if own.codingHistory != old.codingHistory {
      text.set("BEXT/BWF_CODING_HISTORY", to: own.codingHistory)
    }
    if own.umid != old.umid { text.remove("BEXT/BWF_UMID") }
  }

  /// The texts of `bext` that iXML has, too.
  private static var copies: [(path: String, field: WritableKeyPath<BroadcastExtension, String>)] {
    [
      ("BEXT/BWF_DESCRIPTION", \.description), ("BEXT/BWF_ORIGINATOR", \.originator),
      ("BEXT/BWF_ORIGINATOR_REFERENCE", \.originatorReference),
      ("BEXT/BWF_ORIGINATION_DATE", \.originationDate),
      ("BEXT/BWF_ORIGINATION_TIME", \.originationTime),
    ]
  }

  /// What of iXML names the file or measures its samples.
  private static let identities =
    ["FILE_UID", "BEXT/BWF_UMID", "BEXT/BWF_CODING_HISTORY"]
    + ["VALUE", "RANGE", "MAX_TRUE_PEAK_LEVEL", "MAX_MOMENTARY", "MAX_SHORT_TERM"].map {
      "BEXT/BWF_LOUDNESS_" + $0
    }
}
