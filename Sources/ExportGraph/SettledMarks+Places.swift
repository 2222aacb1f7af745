import MediaComposition
import MediaTime
import Tagging

/// Timers and cues: what a source says of places in it.
extension MarkSettler {
  // MARK: Timers

  mutating func settleCart() {
    let request = sink.output.marks?.cart
    guard base?.marks?.cart == nil || isPlaced("cart", in: .cart), places.contains(.cart),
      var cart = base?.marks?.cart ?? request.map({ _ in CartChunk() })
    else { return }
    if !isIdentical {
      let old = cart.postTimers
      cart.postTimers = old.compactMap { timer in
        map.frame(Int64(timer.frame), isEnd: Self.isEnd(timer.usage))
          .flatMap { UInt32(exactly: $0) }
          .map { CartChunk.PostTimer(usage: timer.usage, frame: $0) }
      }
      let kept = Set(cart.postTimers.map(\.usage))
      let gone = old.map(\.usage).filter { !kept.contains($0) }
      if !gone.isEmpty {
        lose("timers of 'cart' (\(gone.joined(separator: ", ")))", Self.momentReason)
      }
    }
    if let request {
      for entry in request.texts { cart[keyPath: entry.key.field] = entry.text }
      cart.postTimers.removeAll { old in request.timers.contains { $0.usage == old.usage } }
      let room = max(0, CartChunk.timerLimit - request.timers.count)
      let beyond = cart.postTimers.dropFirst(room).map(\.usage)
      if !beyond.isEmpty {
        cart.postTimers.removeLast(beyond.count)
        lose("timers of 'cart' (\(beyond.joined(separator: ", ")))", Self.placeReason)
      }
      for timer in request.timers {
        let frame = UInt32(clamping: self.frame(timer.time, timer.usage))
        cart.postTimers.append(CartChunk.PostTimer(usage: timer.usage, frame: frame))
      }
    }
    sink.marks.cart = cart
  }

  /// Whether a post timer is the end of what is before it: `AUDe`, `INTe`, `SEGe`, and `EOD `.
  private static func isEnd(_ usage: String) -> Bool {
    usage.hasSuffix("e") || usage.hasPrefix("EOD")
  }

  /// A moment of the output within it; one that lies beyond is noted.
  private mutating func frame(_ edge: MarkRequest.Edge, _ usage: String) -> Int64 {
    let count = Int64(sink.frames.count)
    let offset = edge.offset.frames(atRate: sampleRate)
    let asked = edge.isFromEnd ? count - offset : offset
    let frame = max(0, min(count, asked))
    if frame != asked {
      sink.markNotes.append(
        "the timer \(Self.shownName(usage)) of 'cart' lies \(asked < 0 ? "before its start" : "behind its end")"
          + ", and is put there: write a time within the output")
    }
    return frame
  }

  // MARK: Cues

  /// Chapters as cues, with what cues of sources have beside a start and a title.
  ///
  /// A cue of a source is one of its chapters, too, and follows the rules of chapters: it is kept where
  /// one of the output's begins at its moment, and so none is there twice.
  mutating func settleCues() {
    let sources = export.composition.assets.filter { $0.marks?.cues.isEmpty == false }
      .sorted { ($0.location, $0.streamIndex) < ($1.location, $1.streamIndex) }
    guard places.contains(.cues) else { return nameChapters(of: sources) }
    guard sink.output.chapters.inFile else { return }
    if let own = identicalCues {
      sink.marks.cues = own
      return
    }
    var cues = sink.chapters.map { chapter in
      MediaMarks.Cue(
        frame: chapter.start.frames(atRate: sampleRate),
        label: chapter.isInherited && chapter.title.isEmpty ? nil : chapter.title)
    }
    let count = cues.count
    for source in sources { add(map.cues(of: source), of: source, to: &cues, besideFirst: count) }
    let known = Set(cues.map { MediaMarks.Cue(frame: $0.frame, label: $0.label) })
    cues += endCues(of: sources).filter {
      !known.contains(MediaMarks.Cue(frame: $0.frame, label: $0.label))
    }
    sink.marks.cues = cues.enumerated()
      .sorted { ($0.element.frame, $0.offset) < ($1.element.frame, $1.offset) }.map(\.element)
    let isReversed = map.parts.contains { part in
      part.isReversed
        && part.asset.marks?.cues.contains { $0.length != nil || $0.note != nil } == true
    }
    if isReversed { lose("lengths and notes of cues", "it is played backwards") }
  }

  /// The cues of the only source, also such as chapters cannot be, where all of it is the output and its
  /// chapters are those of the source.
  private var identicalCues: [MediaMarks.Cue]? {
    guard isIdentical, let base, let cues = base.marks?.cues, !cues.isEmpty,
      sink.chapters.allSatisfy(\.isInherited)
    else { return nil }
    func frames(_ chapters: [Chapter]) -> Set<Int64> {
      Set(chapters.map { $0.start.frames(atRate: sampleRate) })
    }
    let own = cues.map { cue in
      Chapter(start: Time(frames: cue.frame, rate: base.sampleRate), title: "", isInherited: true)
    }
    return frames(sink.chapters) == frames(sink.placeable(own)) ? cues : nil
  }

  /// Adds what is heard of the cues of a source to the first of `cues`, which are chapters.
  private func add(
    _ heard: [MarkMap.HeardCue], of source: Asset, to cues: inout [MediaMarks.Cue],
    besideFirst count: Int
  ) {
    var places: [Int64: Int] = [:]
    for index in 0..<count where sink.chapters[index].isInherited {
      places[cues[index].frame] = places[cues[index].frame] ?? index
    }
    // Those whose chapter is kept: what goes on of them behind an insertion is kept, too.
    var kept: Set<Int> = []
    for piece in heard {
      // Both were rounded on ways of their own.
      let place = [0, -1, 1].lazy.compactMap { places[piece.cue.frame + $0] }.first
      if let place, cues[place].label == piece.cue.label, cues[place].length == nil,
        cues[place].note == nil
      {
        (cues[place].length, cues[place].note) = (piece.cue.length, piece.cue.note)
        kept.insert(piece.index)
      } else if place != nil || piece.isContinued && kept.contains(piece.index) {
        cues.append(piece.cue)
        kept.insert(piece.index)
      }
    }
  }

  /// Names chapters without titles that are cues of sources, which other formats want named.
  private mutating func nameChapters(of sources: [Asset]) {
    guard !sources.isEmpty else { return }
    if !endCues(of: sources).isEmpty { lose("cues at the end of the sound", Self.placeReason) }
    for index in sink.chapters.indices
    where sink.chapters[index].isInherited && sink.chapters[index].title.isEmpty {
      sink.chapters[index].title = "Marker \(index + 1)"
    }
    let hasMore = sources.contains { source in
      source.marks?.cues.contains { $0.length != nil || $0.note != nil } == true
    }
    if hasMore, !sink.chapters.isEmpty { lose("lengths and notes of cues", Self.placeReason) }
  }

  // MARK: Other chunks

  /// Keeps all chunks of the source where each of its samples is kept, and names those that go.
  mutating func keepChunks() {
    guard let base else { return }
    if keepsChunks {
      var kept = SinkMarks.KeptChunks(source: base)
      for chunk in base.marks?.chunks ?? []
      where TagClass(ofChunk: chunk.name) == .bytes && !keepsBytes {
        kept.omitted.append(chunk.name)
        lose(Self.shownName(chunk.name), Graph.bytesReason)
      }
      sink.marks.identical = kept
      return
    }
    let reason = isIdentical ? Self.placeReason : Graph.sampleReason
    var names: Set<String> = []
    for chunk in base.marks?.chunks ?? [] where names.insert(chunk.name).inserted {
      guard names.count <= Self.mostNames else { return lose("chunks of further names", reason) }
      let name = Self.shownName(chunk.name)
      switch TagClass(ofChunk: chunk.name) {
      case .content, .headerDate, .place, .times, .file, .frames: continue
      case .bytes where isIdentical && !keepsBytes: lose(name, Graph.bytesReason)
      case .level, .samples, .bytes, .unknown: lose(name, reason)
      }
    }
  }

  /// Names of chunks that are looked at.
  private static let mostNames = 500

  /// Four characters without a blank at their end.
  private static func shownName(_ name: String) -> String {
    name.hasSuffix(" ") ? String(name.dropLast()) : name
  }

  /// Whether the samples have the bytes that they have in the source, or in the file that a FLAC was made
  /// of: a FLAC gives these back.
  private var keepsBytes: Bool {
    guard let base, sink.format.kind != .flac else { return true }
    if base.codec == "flac" { return base.bitDepth == sink.format.integerDepth }
    guard case .samples(let samples) = sink.format.setting else { return false }
    let order = sink.capabilities.isBigEndian ? "be" : "le"
    return switch samples {
    case .uint8: base.codec == "pcm_u8"
    case .int16: base.codec == "pcm_s16" + order
    case .int24: base.codec == "pcm_s24" + order
    case .float32: base.codec == "pcm_f32" + order
    case .muLaw: base.codec == "pcm_mulaw"
    case .aLaw: base.codec == "pcm_alaw"
    case .g722, .gsm: sink.copied?.method == .whole
    case .ima4: false
    }
  }

  /// Whether all chunks of the source are in the output: a FLAC has them beside its own facts.
  var keepsChunks: Bool {
    guard let base, isIdentical, places.contains(.foreign) else { return false }
    let chunks = base.marks?.chunks ?? []
    if sink.format.kind == .flac {
      let isAsked = sink.output.marks?.keepsForeign == true
      // Files without a chunk of their own come back byte for byte as well; of RIFX flac knows nothing.
      let isHeld =
        ["aiff", "w64"].contains(base.container)
        || base.container == "wav" && !base.codec.hasSuffix("be")
      return chunks.isEmpty ? isAsked && isHeld : base.codec == "flac" || isAsked
    }
    guard !chunks.isEmpty else { return false }
    return Self.kind(of: chunks) == sink.format.kind
  }

  /// The format that chunks are of; nil where the sound's are not among them.
  private static func kind(of chunks: [MediaMarks.StoredChunk]) -> Output.Kind? {
    chunks.lazy.compactMap { chunk in
      switch chunk.name {
      case "fmt ": .wav
      case "COMM": .aiff
      case "desc": .caf
      default: nil
      }
    }.first
  }
}

extension MarkRequest.Cart.Text {
  /// The chunk's field.
  fileprivate var field: WritableKeyPath<CartChunk, String> {
    switch self {
    case .title: \.title
    case .artist: \.artist
    case .category: \.category
    case .classification: \.classification
    case .cutID: \.cutID
    case .clientID: \.clientID
    case .outCue: \.outCue
    case .startDate: \.startDate
    case .startTime: \.startTime
    case .endDate: \.endDate
    case .endTime: \.endTime
    }
  }
}
