import MediaTime

/// Takes the text of a cue of WebVTT apart: one cue for each voice, with its words.
struct VoiceSplitter {
  /// What one voice says.
  struct Voice {
    var speaker: String?
    var text = ""
    var markup: String?
    var words: [Word] = []
  }

  private let start: Time
  private let end: Time
  private var voices: [Voice] = []
  private var voice = Voice()
  private var markup = ""
  private var hasTags = false
  /// Tags that are open, with what stands in them; no `<v>`.
  private var open: [(name: String, rest: String)] = []
  /// When the text that is being read begins; nil: no moment is known for it.
  private var moment: Time?
  private var hasMoments = false
  /// Whether a voice before this one has moments: then this one begins at none that is known.
  private var isUntimed = false
  private var span = ""
  private var wordCount = 0
  /// How many bytes of open tags voices may repeat: more than any text has.
  private var repeatable = 1 << 20

  /// The voices of `markup`, the text of a cue from `start` to `end`, with what they say; of more voices or
  /// words than a transcript may have, so many that it is refused. O(n)
  ///
  /// Times within the markup are moved by `shift`.
  static func voices(
    of markup: String, from start: Time, to end: Time, momentsMovedBy shift: Time = .zero,
    find: (Finding) -> Void = { _ in }
  ) -> [Voice] {
    var splitter = VoiceSplitter(from: start, to: end)
    var last: MarkupPart?
    MarkupPart.forEach(of: markup, find: find) { part in
      if let last { splitter.take(part.isVoice ? last.withoutTurnDash : last) }
      last = part.moved(by: shift)
      return !splitter.isFull
    }
    if let last, !splitter.isFull { splitter.take(last) }
    splitter.endVoice()
    return splitter.voices
  }

  /// Whether there are more than a transcript may have. Words of voices without moments do not stay.
  private var isFull: Bool {
    voices.count > CueCollector.cueLimit
      || wordCount > CueCollector.wordLimit + CueCollector.cueLimit
  }

  private init(from start: Time, to end: Time) {
    self.start = start
    self.end = end
    moment = start
  }

  private mutating func take(_ part: MarkupPart) {
    switch part {
    case .text(let text):
      voice.text += text
      span += text
      markup += CharacterReference.escaped(text)
    case .opening("v", let rest):
      endVoice()
      // Classes stand before the first blank.
      let name = rest.unicodeScalars.drop { !$0.properties.isWhitespace }
      voice.speaker = MarkupPart.plain(String(name)).nonEmpty
    case .closing("v"): endVoice()
    case .opening(let name, let rest):
      // Deeper tags than any text has cost time and change nothing.
      guard open.count < 16 else { return }
      open.append((name, rest))
      hasTags = true
      markup += "<\(name)\(rest)>"
    case .closing(let name):
      guard let index = open.lastIndex(where: { $0.name == name }) else { return }
      for tag in open[index...].reversed() { markup += "</\(tag.name)>" }
      open.removeSubrange(index...)
    case .moment(let time):
      guard let time, time <= end, moment.map({ time >= $0 }) ?? true else { return }
      endSpan(at: time)
      hasMoments = true
      hasTags = true
      markup +=
        "<\(CaptionTime.text(milliseconds: CaptionTime.milliseconds(time), mark: UInt8(ascii: ".")))>"
    }
  }

  /// The text since the last moment is a word.
  private mutating func endSpan(at time: Time) {
    let text = span.tidiedLines
    span = ""
    defer { moment = time }
    guard !text.isEmpty else { return }
    wordCount += 1
    voice.words.append(
      Word(text, in: moment.map { TimeRange(start: $0, end: max($0, time)) }))
  }

  private mutating func endVoice() {
    endSpan(at: end)
    isUntimed = isUntimed || hasMoments
    moment = isUntimed ? nil : start
    for tag in open.reversed() { markup += "</\(tag.name)>" }
    voice.text = voice.text.tidiedLines
    if !voice.text.isEmpty {
      if hasTags { voice.markup = markup.tidiedLines }
      if !hasMoments { voice.words = [] }
      voices.append(voice)
    }
    repeatable -= open.reduce(0) { $0 + $1.name.utf8.count + $1.rest.utf8.count + 2 }
    if repeatable < 0 { open = [] }
    (voice, markup, hasTags, hasMoments) = (Voice(), "", !open.isEmpty, false)
    for tag in open { markup += "<\(tag.name)\(tag.rest)>" }
  }
}

extension MarkupPart {
  fileprivate func moved(by shift: Time) -> MarkupPart {
    if case .moment(let time?) = self { .moment(time + shift) } else { self }
  }

  fileprivate var isVoice: Bool { if case .opening("v", _) = self { true } else { false } }

  /// A text without the dash alone at the front of its last line, which begins the turn of the voice
  /// that comes next.
  fileprivate var withoutTurnDash: MarkupPart {
    guard case .text(let text) = self else { return self }
    let line = text.lastIndex(where: \.isNewline).map { text.index(after: $0) } ?? text.startIndex
    guard
      ["-", "\u{2010}", "\u{2013}", "\u{2014}"].contains(text[line...].filter { !$0.isWhitespace })
    else { return self }
    return .text(String(text[..<line]))
  }

  /// A text of WebVTT without its tags, and with its references read.
  static func plain(_ markup: String) -> String {
    parts(of: markup).reduce(into: "") {
      if case .text(let text) = $1 { $0 += text }
    }.tidiedLines.onOneLine
  }
}

extension String {
  /// nil where there is no letter.
  var nonEmpty: String? { isEmpty ? nil : self }
}
