import Diagnosis
import ExportGraph
import MediaComposition
import Tagging

/// The chunks of a WAV beside its sound, in the order in which they are written: readers of streams stop
/// at the sound, and find what is behind it only where it is usual (docs/broadcast.md).
struct WaveChunks: Sendable, Hashable {
  /// Before the sound.
  var leading: [WaveFile.Chunk]
  /// Behind it.
  var trailing: [WaveFile.Chunk]

  /// The chunks that hold marks, texts and a format.
  ///
  /// - Parameters:
  ///   - marks: Those of an output, but for its `bext`.
  ///   - broadcast: Its `bext`.
  ///   - info: The texts.
  ///   - format: How the sound is stored.
  /// - Throws: `mendJob` for a cue that lies too far behind.
  init(
    _ marks: SinkMarks, _ broadcast: BroadcastExtension?, info: InfoList, _ format: WaveFormat
  ) throws(Failure) {
    var first: [WaveFile.Chunk] = []
    if let broadcast { first.append(.init("bext", broadcast.bytes())) }
    leading = WaveFile.leading(format, first: first)
    if let iXML = marks.iXML { leading.append(.init("iXML", iXML.bytes)) }
    if let cart = marks.cart { leading.append(.init("cart", cart.bytes())) }
    if let list = info.bytes() { leading.append(.init("LIST", list)) }
    trailing = try CuePoints(marks.cues).chunks
    if let sampler = marks.sampler { trailing.append(.init("smpl", sampler.bytes())) }
    if let instrument = marks.instrument { trailing.append(.init("inst", instrument.bytes)) }
  }

  /// All chunks of a file in its order, before `data` and behind it.
  init(stored: [WaveFile.Chunk]) {
    let sound = stored.firstIndex { $0.name == "data" } ?? stored.endIndex
    leading = Array(stored[..<sound])
    trailing = Array(stored[sound...].dropFirst())
  }

  /// Whether the chunks of a file say that its samples are stored in this way.
  func tell(_ format: WaveFormat) -> Bool {
    leading.first { $0.name == "fmt " }.map { format.isTold(by: $0.content) } ?? false
  }

  /// The chunks of a source whose samples these are, in its order and byte for byte, but for those that
  /// say other things here; further ones of these have the places that they have here.
  ///
  /// - Parameters:
  ///   - stored: The chunks of the source.
  ///   - keepsFormat: Whether its samples are stored as here (`tell`).
  ///   - keepsTags: Whether its tags are those of the source.
  ///   - keepsCues: Whether its cues are told by chunks of the source, be it by their tags.
  ///   - unchanged: The kinds of those whose facts are the source's: all of these chunks stay, also further
  ///     ones and such as cannot be read.
  /// - Returns: The chunks of the copy.
  func keeping(
    _ stored: WaveChunks, keepsFormat: Bool, keepsTags: Bool, keepsCues: Bool = false,
    unchanged: Set<String> = []
  ) -> WaveChunks {
    var own = leading + trailing
    // The room for `ds64` says nothing: a copy of a source without it stays as it is.
    own.removeAll { keepsFormat && ($0 == .room || ["fmt ", "fact"].contains($0.name)) }
    let keepsCues = keepsCues || cues == stored.cues
    own.removeAll {
      keepsCues && $0.isOfCues || keepsTags && $0.isOfTags || unchanged.contains($0.kind)
    }
    func kept(_ chunk: WaveFile.Chunk) -> WaveFile.Chunk? {
      if chunk.isOfCues { return keepsCues ? chunk : nil }
      if chunk.isOfTags, keepsTags { return chunk }
      if ["fmt ", "fact"].contains(chunk.name), keepsFormat { return chunk }
      if unchanged.contains(chunk.kind) { return chunk }
      guard chunk.isSaidHere else { return chunk }
      guard let index = own.firstIndex(where: { $0.kind == chunk.kind }) else { return nil }
      let new = own.remove(at: index)
      return new.meaning == chunk.meaning ? chunk : new
    }
    var result = WaveChunks(
      leading: stored.leading.compactMap(kept), trailing: stored.trailing.compactMap(kept))
    for chunk in own {
      if trailing.contains(chunk) {
        result.trailing.append(chunk)
      } else {
        let place = chunk.name == "bext" ? result.leading.firstIndex { $0.name == "fmt " } : nil
        result.leading.insert(chunk, at: chunk == .room ? 0 : place ?? result.leading.endIndex)
      }
    }
    return result
  }

  /// Puts room for sizes of 64 bits before all others, where a file called so, or one that `isLarge`,
  /// lacks it, and takes those of another file away. A file that is called otherwise than its source,
  /// `stored`, gets sizes of its own: a BW64 may leave the number of frames out, and an RF64 has it.
  mutating func fit(_ form: WaveFile.Form, of stored: WaveFile.Form?, isLarge: Bool) {
    if let place = leading.firstIndex(where: { $0.name == "ds64" }) {
      let sizes = leading.remove(at: place)
      if place > 0, leading.first == .room { leading.removeFirst() }
      let isSame = form.isAlwaysLong && form.longName == stored?.longName
      leading.insert(isSame ? sizes : .room, at: 0)
    }
    guard form.isAlwaysLong || isLarge, leading.first?.holdsSizes != true else { return }
    leading.insert(.room, at: 0)
  }

  private init(leading: [WaveFile.Chunk], trailing: [WaveFile.Chunk]) {
    (self.leading, self.trailing) = (leading, trailing)
  }

  /// The cues, in order of time.
  var cues: [MediaMarks.Cue] {
    var defects: [ChunkDefect] = []
    return [MediaMarks.Cue](of: leading + trailing, isBigEndian: false, &defects)
  }
}

extension [MediaMarks.Cue] {
  /// The cues of a WAV's chunks, in order of time.
  init(of chunks: [WaveFile.Chunk], isBigEndian: Bool, _ defects: inout [ChunkDefect]) {
    // Texts without any cue are named.
    let noCues: [UInt8] = [0, 0, 0, 0]
    let points = CuePoints(
      cue: chunks.first { $0.name == "cue " }?.content ?? noCues,
      lists: chunks.filter { $0.kind == "LIST adtl" }.map(\.content), isBigEndian: isBigEndian,
      defects: &defects)
    self =
      points.cues.map { cue in
        MediaMarks.Cue(
          frame: Int64(cue.frame), length: cue.length.map(Int64.init),
          label: cue.label.flatMap { $0.isEmpty ? nil : $0 },
          note: cue.note)
      }.sortedByFrame
  }

  /// In order of time, those of one frame in their own.
  var sortedByFrame: Self {
    enumerated().sorted { ($0.element.frame, $0.offset) < ($1.element.frame, $1.offset) }
      .map(\.element)
  }
}

extension WaveFile.Chunk {
  /// Its name, and that of a list.
  var kind: String {
    name == "LIST" ? "LIST " + String(decoding: content.prefix(4), as: UTF8.self) : name
  }

  fileprivate var isOfCues: Bool { ["cue ", "LIST adtl"].contains(kind) }
  fileprivate var isOfTags: Bool { ["LIST INFO", "id3 ", "ID3 "].contains(kind) }

  /// Whether an output's own tags, marks or format say what it says.
  fileprivate var isSaidHere: Bool {
    isOfTags || ["bext", "fmt ", "fact", "iXML", "cart", "smpl", "inst"].contains(kind)
  }

  /// What it says, whatever bytes it says that with.
  fileprivate var meaning: [UInt8] {
    var defects: [ChunkDefect] = []
    switch kind {
    case "bext": return BroadcastExtension(content, defects: &defects)?.bytes() ?? content
    // The number of frames is put in later.
    case "fact": return []
    default: return content
    }
  }
}

extension CuePoints {
  /// Cues, numbered from 1 on.
  ///
  /// - Throws: `mendJob` for one that lies too far behind.
  fileprivate init(_ cues: [MediaMarks.Cue]) throws(Failure) {
    self.init()
    for cue in cues {
      guard let frame = UInt32(exactly: cue.frame) else {
        throw Failure(
          .mendJob,
          "WAV has places for cues up to frame \(UInt32.max), and '\(cue.label ?? "")' is at "
            + "\(cue.frame): leave it out, or write chapters beside the file: 'chapters: podlove'")
      }
      self.cues.append(
        Cue(
          id: UInt32(self.cues.count + 1), frame: frame, label: cue.label, note: cue.note,
          length: cue.length.map { UInt32(clamping: $0) }))
    }
  }

  /// `cue ` and `LIST adtl`, as far as there is something in them.
  var chunks: [WaveFile.Chunk] {
    [("cue ", cueBytes()), ("LIST", listBytes())].compactMap { name, content in
      content.map { WaveFile.Chunk(name, $0) }
    }
  }
}
