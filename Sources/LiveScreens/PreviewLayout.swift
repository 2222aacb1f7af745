import Diagnosis
import MediaTime
import Terminal

/// The layout of the preview's lines.
struct PreviewLayout {
  let width: Int
  let isColored: Bool
  let characters: CharacterSet

  // MARK: The entry

  /// `playing  sonnets-01                     2 of 3  1.2×  -6 dB  left 20 %  loop 0:05.0 …`
  func title(_ model: PreviewModel) -> String {
    let state =
      switch model.state {
      case .playing: "playing"
      case .paused: "paused"
      case .waiting: "waiting for the device"
      case .buffering(let share?): "buffering \(Self.percent(share))"
      case .buffering: "buffering"
      case .renderingAhead(let share):
        "too heavy to hear live\(speed(model.renderingRate)): "
          + "rendering ahead, \(Self.percent(share))"
      }
    let facts = facts(model)
    var shown = facts
    // The name keeps some columns.
    let least = min(width, state.columns + 14)
    while shown.count > 1, least + 2 + shown.joined(separator: "  ").columns > width {
      shown.removeLast()
    }
    let right = fitted(shown.joined(separator: "  "), to: max(0, width - least - 2))
    let left = "\(state)  \(plain(model.title))"
    guard !right.isEmpty else { return fitted(left, to: width) }
    let room = width - right.columns - 2
    return fitted(left, to: room).padded(to: room) + "  " + right
  }

  /// What is shown beside the title, the most important first.
  private func facts(_ model: PreviewModel) -> [String] {
    var facts: [String] = []
    if let tour = model.tour { facts.append("join \(tour.number) of \(tour.count)") }
    if model.state == .paused {
      // To the sample.
      facts.append("at \(min(model.time, model.duration).clockText(decimals: 6))")
      if let frame = model.frame { facts.append("frame \(frame)") }
    }
    if model.entryCount > 1 { facts.append("\(model.entry) of \(model.entryCount)") }
    if let share = model.approximation {
      facts.append("approximate after seek, exact \(Self.percent(share))")
    }
    if model.rate != 100 { facts.append(characters.text(Self.rate(model.rate))) }
    if model.volume != 0 { facts.append(Self.signed(model.volume) + " dB") }
    if model.pan != 0 { facts.append(Self.pan(model.pan)) }
    if let loop = model.loop {
      let end = loop.end.map { " " + Self.clock($0) } ?? ""
      facts.append("loop \(Self.clock(loop.start)) \(characters.ellipsis)\(end)")
    } else if model.isLooping, model.entryCount > 1 {
      facts.append("loop")
    }
    return facts
  }

  /// `Four lines: librivox-sonnet.mp3, feelings.ogg                  podcast.yaml:8 :12`
  func names(_ model: PreviewModel) -> String {
    let segments = model.segments.joined(separator: ", ")
    let text = plain(
      [model.chapter, segments].compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: ": "))
    let sources = plain(Self.joined(sources: model.sources))
    // The names keep some columns.
    guard !sources.isEmpty, width - sources.columns - 2 >= min(text.columns, 16) else {
      return fitted(text, to: width)
    }
    let room = width - sources.columns - 2
    return fitted(text, to: room).padded(to: room) + "  " + faint(sources)
  }

  /// `a.yaml:8 :12  b.yaml:3`: each file once.
  private static func joined(sources: [String]) -> String {
    var shown: [String] = []
    var last: Substring?
    for source in sources where !shown.contains(source) {
      guard let colon = source.lastIndex(of: ":") else { continue }
      let file = source[..<colon]
      if file == last {
        let line = source[colon...]
        if !shown.contains(String(line)) { shown.append(String(line)) }
      } else {
        shown.append((shown.isEmpty ? "" : " ") + source)
      }
      last = file
    }
    return shown.joined(separator: " ")
  }

  // MARK: Panes

  /// The lines of the help: in two columns where these fit.
  func help() -> [String] {
    let lines = KeyBinding.all.map { binding in
      "\(characters.text(binding.keys).padded(to: 12))\(binding.help)"
    }
    let half = (lines.count + 1) / 2
    let column = (lines.map(\.columns).max() ?? 0) + 2
    let right = lines.dropFirst(half).map(\.columns).max() ?? 0
    guard column + right <= width else { return lines.map { fitted($0, to: width) } }
    return (0..<half).map { index in
      let other = index + half < lines.count ? lines[index + half] : ""
      return lines[index].padded(to: column) + other
    }
  }

  /// A row of the list: `> 2  sonnets-02  0:58.0`, `     0:12.3  Four lines`.
  func listRow(_ row: PreviewList.Row, isSelected: Bool) -> String {
    let time = row.time.map { Self.clock($0) } ?? ""
    let indent = String(repeating: " ", count: width < 40 ? 0 : 4)
    let text =
      switch row.kind {
      case .entry, .device: "\(String(row.number ?? 0).aligned(to: 3))  \(plain(row.text))"
      case .chapter: "\(indent)  \(time)  \(plain(row.text))"
      case .mark: "\(indent)\(isUnicode ? "▲" : "^") \(time)  \(plain(row.text))"
      }
    return selected(text, isSelected)
  }

  /// A line of a list, with a sign if it is under the cursor.
  func selected(_ text: String, _ isSelected: Bool) -> String {
    let line = fitted((isSelected ? "> " : "  ") + text, to: width)
    return isSelected && isColored ? "\u{1B}[7m\(line)\u{1B}[0m" : line
  }

  /// What a pane says of the lines that are not shown.
  func rest(of pane: PreviewPane, showing shown: Range<Int>) -> String {
    let range = "\(shown.lowerBound + 1) to \(shown.upperBound) of \(pane.count)"
    let text =
      switch pane.kind {
      case .list: range
      case .help: "keys \(range): up, down"
      case .tracks where shown.lowerBound == 0 && pane.focus == nil:
        "\(pane.count - shown.count) more tracks: t shows them"
      case .tracks: "tracks \(range)"
      }
    return faint(fitted(text, to: width))
  }

  // MARK: Below

  /// `default: 48 kHz stereo, 16 bits   213 ms buffered   2 xruns`
  func device(_ device: PreviewModel.Device) -> String {
    let xruns = device.xruns == 1 ? "1 xrun" : "\(device.xruns) xruns"
    let buffered = "\(device.bufferedMilliseconds) ms" + (width < 60 ? "" : " buffered")
    let facts = device.format == nil ? [] : [buffered]
    let parts = facts + (device.xruns == 0 ? [] : [xruns])
    let right = parts.map { "   " + $0 }.joined()
    let name = "\(plain(device.name)): \(device.format ?? "not there")"
    return fitted(fitted(name, to: max(0, width - right.columns)) + right, to: width)
  }

  /// What is being typed, or else what there is to be read; nil for neither.
  func message(_ model: PreviewModel) -> String? {
    let prompt: String? =
      switch model.mode {
      case .time(let text): "go to: \(text)_"
      case .words(let text): "find words: \(text)_"
      case .name(let text): "name of the last mark: \(text)_"
      case .solo: "alone: the number of a track"
      case .list(let text) where !text.isEmpty || model.message == nil: "find: \(text)_"
      case .commands, .tracks, .list: model.message
      }
    return prompt.map { line(of: $0) }
  }

  /// A text of any characters in one line.
  func line(of text: String) -> String { fitted(plain(text), to: width) }

  /// The keys that are wanted most.
  func hint(_ model: PreviewModel) -> String {
    let isMark = if case .mark = model.list?.selected?.kind { true } else { false }
    let bindings =
      switch model.mode {
      case .list: KeyBinding.inList.filter { isMark || $0.actions[.delete] == nil }
      case .tracks: KeyBinding.inTracks
      case _ where model.tour != nil: KeyBinding.inTour
      default: KeyBinding.all
      }
    let jumps = model.hasChapters ? "chapters" : "items"
    var words = bindings.flatMap(\.hints).map { $0.replacing("items", with: jumps) }
    // From the middle: how to get help and out is missed most.
    while words.count > 2, words.joined(separator: "   ").columns > width {
      words.remove(at: words.count - 3)
    }
    return faint(fitted(words.joined(separator: "   "), to: width))
  }

  // MARK: Figures

  /// To the tenth, rounded down, so that a minute is shown when it is complete.
  static func clock(_ time: Time) -> String {
    let tenths = Time(
      value: time.converted(toTimescale: 10, rounding: .towardZero).value, timescale: 10)
    return tenths.clockText(decimals: 1)
  }

  /// `45 %` of a share, which is limited to 0 … 1.
  private static func percent(_ share: Double) -> String {
    "\(Int(max(0, min(1, share)) * 100)) %"
  }

  static func signed(_ number: Int) -> String { number > 0 ? "+\(number)" : "\(number)" }

  static func rate(_ percent: Int) -> String {
    let hundredths = percent % 10 == 0 ? "" : "\(percent % 10)"
    return "\(percent / 100).\(percent % 100 / 10)\(hundredths)×"
  }

  /// ` (0.7×)`; empty if it is not known.
  private func speed(_ rate: Double?) -> String {
    rate.map { characters.text(" (\(Self.rate(Int($0 * 10) * 10)))") } ?? ""
  }

  static func pan(_ percent: Int) -> String {
    percent < 0 ? "left \(-percent) %" : "right \(percent) %"
  }

  // MARK: Texts and colours (ECMA-48, SGR)

  var isUnicode: Bool { characters == .unicode }

  /// A text that gives the terminal no orders, in its characters.
  func plain(_ text: String) -> String { characters.text(text.printable) }

  /// A text in at most some columns.
  func fitted(_ text: String, to columns: Int) -> String {
    text.shortened(to: columns, marking: characters.ellipsis)
  }

  enum Colour: String {
    case plain = "", red = "31", cyan = "36"
  }

  func colored(_ text: String, _ colour: Colour) -> String {
    isColored && colour != .plain ? "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m" : text
  }

  func faint(_ text: String) -> String {
    isColored && !text.isEmpty ? "\u{1B}[2m\(text)\u{1B}[0m" : text
  }

  func bar(_ filled: Int, of room: Int) -> String {
    let done = characters.bar.done.repeated(filled)
    let rest = characters.bar.left.repeated(room - filled)
    return (done.isEmpty ? "" : colored(done, .cyan)) + (rest.isEmpty ? "" : faint(rest))
  }
}
