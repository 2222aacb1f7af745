/// The chunk `cart` of a WAV that a radio's traffic system plays (AES46-2002, 4): what it is, when it may
/// run, and where in it something happens.
package struct CartChunk: Sendable, Hashable, Codable {
  /// A place in the sound.
  package struct PostTimer: Sendable, Hashable, Codable {
    /// Four characters: `AUDs`, `AUDe`, `INTs`, `INTe`, `SEGs`, `SEGe`, `SECs`, `TERs`, `EOD ` or
    /// others, which systems differ about.
    package var usage: String
    package var frame: UInt32

    package init(usage: String, frame: UInt32) { (self.usage, self.frame) = (usage, frame) }
  }

  /// `0101`: version 1.01.
  package var version = "0101"
  package var title = ""
  package var artist = ""
  package var cutID = ""
  package var clientID = ""
  package var category = ""
  package var classification = ""
  package var outCue = ""
  /// `2026/11/29`
  package var startDate = ""
  /// `07:30:00`
  package var startTime = ""
  package var endDate = ""
  package var endTime = ""
  package var producerID = ""
  package var producerVersion = ""
  package var userText = ""
  /// The sample value of 0 dB; 32768 for full scale.
  package var levelReference: Int32 = 0
  /// At most eight.
  package var postTimers: [PostTimer] = []
  package var url = ""
  /// Free text.
  package var text = ""
  /// The texts that the file has in other bytes than UTF-8.
  private var stored = StoredTexts()

  package init() {}

  private static let chunk = "cart"
  /// As many post timers as there are.
  package static let timerLimit = 8
  private static let (fixedSize, reservedSize) = (2048, 276)

  /// The texts in order, before the numbers.
  private struct Field {
    let name: String
    let size: Int
    let path: WritableKeyPath<CartChunk, String>

    init(_ name: String, _ size: Int, _ path: WritableKeyPath<CartChunk, String>) {
      (self.name, self.size, self.path) = (name, size, path)
    }
  }

  private static var fields: [Field] {
    [
      Field("version", 4, \.version), Field("title", 64, \.title), Field("artist", 64, \.artist),
      Field("cut id", 64, \.cutID), Field("client id", 64, \.clientID),
      Field("category", 64, \.category), Field("classification", 64, \.classification),
      Field("out cue", 64, \.outCue), Field("start date", 10, \.startDate),
      Field("start time", 8, \.startTime), Field("end date", 10, \.endDate),
      Field("end time", 8, \.endTime), Field("producer id", 64, \.producerID),
      Field("producer version", 64, \.producerVersion), Field("user text", 64, \.userText),
    ]
  }

  private static var urlField: Field { Field("url", 1024, \.url) }

  /// Reads the chunk's content; nil where it has not even a title. What a short one lacks is empty.
  /// O(n)
  package init?(_ bytes: [UInt8], isBigEndian: Bool = false, defects: inout [ChunkDefect]) {
    guard bytes.count >= 68 else {
      defects.note(Self.chunk, .unreadable(has: bytes.count, needs: Self.fixedSize))
      return nil
    }
    if bytes.count < Self.fixedSize {
      defects.note(Self.chunk, .short(has: bytes.count, needs: Self.fixedSize))
    }
    var reader = ChunkReader(Self.chunk, bytes, isBigEndian: isBigEndian)
    for field in Self.fields {
      self[keyPath: field.path] = reader.text(field.size, field.name, &defects)
    }
    levelReference = reader.number()
    for _ in 0..<Self.timerLimit {
      let usage = reader.bytes(4)
      let frame = reader.number(UInt32.self)
      let used = usage.prefix { $0 != 0 }
      // Unused ones are zeros or blanks.
      guard used.contains(where: { $0 != 0x20 }) else { continue }
      let name = EightBitText.windows1252(used + repeatElement(0x20, count: 4 - used.count))
      // Systems that count with a sign write −1 for none.
      guard frame <= Int32.max else {
        defects.note(Self.chunk, .badValue(field: "post timer \(name)"))
        continue
      }
      postTimers.append(PostTimer(usage: name, frame: frame))
    }
    _ = reader.bytes(Self.reservedSize)
    url = reader.text(Self.urlField.size, Self.urlField.name, &defects)
    text = reader.text("text", &defects)
    stored = reader.stored
  }

  /// What `bytes` cannot hold.
  package var losses: [ChunkDefect] {
    var found: [ChunkDefect] = []
    for field in Self.fields + [Self.urlField] {
      let text = self[keyPath: field.path]
      guard stored.bytes(of: field.name, text) == nil else { continue }
      text.noteLosses(Self.chunk, field.name, limit: field.size, isASCII: true, &found)
    }
    if stored.bytes(of: "text", text) == nil {
      text.noteLosses(Self.chunk, "text", limit: .max, isASCII: true, &found)
    }
    for timer in postTimers {
      timer.usage.noteLosses(Self.chunk, "post timer", limit: 4, isASCII: true, &found)
    }
    if postTimers.count > Self.timerLimit {
      found.note(Self.chunk, .tooMany(limit: Self.timerLimit))
    }
    return found
  }

  /// The chunk's content, 2048 bytes and the free text. Texts that are still those of the chunk that
  /// was read have its bytes. O(n)
  package func bytes(isBigEndian: Bool = false) -> [UInt8] {
    var writer = ChunkWriter(isBigEndian: isBigEndian)
    func append(_ field: Field) {
      let text = self[keyPath: field.path]
      writer.append(text, filling: field.size, as: stored.bytes(of: field.name, text))
    }
    Self.fields.forEach(append)
    writer.append(levelReference)
    let timers = postTimers.prefix(Self.timerLimit)
    for timer in timers {
      // As they are read: codes are no words.
      let usage = EightBitText.bytes(inWindows1252: timer.usage) ?? timer.usage.bytes(atMost: 4)
      writer.append((usage + repeatElement(0x20, count: 4)).prefix(4))
      writer.append(timer.frame)
    }
    writer.append(zeros: (Self.timerLimit - timers.count) * 8 + Self.reservedSize)
    append(Self.urlField)
    writer.append(stored.bytes(of: "text", text) ?? text.bytes(atMost: .max))
    return writer.bytes
  }
}
