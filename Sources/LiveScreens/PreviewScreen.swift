import Glibc
import MediaTime
import Playback
import Terminal

/// The lines of the preview on a terminal.
enum PreviewScreen {
  /// The lines to show now, none wider than the terminal and no more than fit above its last row.
  ///
  /// In a low window the least important lines are left out first.
  static func lines(for model: PreviewModel, on terminal: TerminalTraits) -> [String] {
    // The last column stays empty: some terminals break the line after writing into it.
    let width = max(0, terminal.columns - 1)
    let layout = PreviewLayout(width: width, isColored: terminal.isColored)
    var rows = self.rows(for: model, layout)
    let most = max(1, terminal.rows - 1)
    while rows.count > most, let last = rows.lastIndex(where: { $0.place > .track }) {
      rows.remove(at: last)
    }
    // Some tracks are better than none.
    shortenTracks(&rows, to: most - rows.count { $0.place != .track }, width)
    while rows.count > most {
      let least = rows.map(\.place).max()
      guard let last = rows.lastIndex(where: { $0.place == least }) else { break }
      rows.remove(at: last)
    }
    return rows.map(\.text)
  }

  /// The kind of a line, the most important first.
  private enum Place: Int, Comparable {
    case position, title, message, channel, loudness, reduction, names, track, device, help

    static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
  }

  private typealias Row = (place: Place, text: String)

  /// From the top to the bottom.
  private static func rows(for model: PreviewModel, _ layout: PreviewLayout) -> [Row] {
    var rows: [Row] = [
      (.title, layout.title(model)), (.position, layout.position(model)),
      (.names, layout.names(model)),
    ]
    if model.showsHelp {
      rows += PreviewKeys.help.map { (.track, layout.help($0.keys, $0.meaning)) }
    } else {
      let names = layout.meterNames(model)
      rows += model.tracks.indices.map { index in
        (.track, layout.track(model.tracks[index], number: index + 1, names))
      }
      rows += model.channels.map { (.channel, layout.channel($0, names)) }
      rows += layout.reductions(model).map { (.reduction, $0) }
      rows.append((.loudness, layout.loudness(model)))
    }
    rows.append((.device, layout.device(model.device)))
    if let message = layout.message(model) { rows.append((.message, message)) }
    rows.append((.help, layout.hint(model)))
    return rows
  }

  /// Keeps `room` lines of tracks; the last one counts the others.
  private static func shortenTracks(_ rows: inout [Row], to room: Int, _ width: Int) {
    let tracks = rows.indices.filter { rows[$0].place == .track }
    guard tracks.count > room, room > 1, let first = tracks.first, let last = tracks.last else {
      return
    }
    let rest = "\(tracks.count - room + 1) more lines are not shown".shortened(to: width)
    rows.replaceSubrange((first + room - 1)...last, with: [(.track, rest)])
  }
}

/// The layout of the preview's lines.
package struct PreviewLayout {
  let width: Int
  let isColored: Bool

  // MARK: The entry

  /// `playing  sonnets-01                     2 of 3  1.2×  -6 dB  left 20 %  loop 0:05.0 …`
  func title(_ model: PreviewModel) -> String {
    let state =
      switch model.state {
      case .playing: "playing"
      case .paused: "paused"
      case .waiting: "waiting for the device"
      case .buffering(let share?): "buffering \(Int(max(0, min(1, share)) * 100)) %"
      case .buffering: "buffering"
      case .renderingAhead(let share):
        "too heavy to hear live\(Self.speed(model.renderingRate)): "
          + "rendering ahead, \(Int(max(0, min(1, share)) * 100)) %"
      }
    var facts: [String] = []
    if model.entryCount > 1 { facts.append("\(model.entry) of \(model.entryCount)") }
    if let share = model.approximation {
      facts.append("approximate, exact sound \(Int(max(0, min(1, share)) * 100)) %")
    }
    if model.rate != 100 { facts.append(Self.rate(model.rate)) }
    if model.volume != 0 { facts.append(Self.signed(model.volume) + " dB") }
    if model.pan != 0 { facts.append(Self.pan(model.pan)) }
    if let loop = model.loop {
      facts.append("loop \(Self.clock(loop.start)) … \(loop.end.map(Self.clock) ?? "")")
    } else if model.isLooping, model.entryCount > 1 {
      facts.append("loop")
    }
    // The name keeps some columns.
    let least = min(width, state.columns + 14)
    while facts.count > 1, least + 2 + facts.joined(separator: "  ").columns > width {
      facts.removeLast()
    }
    let right = facts.joined(separator: "  ").shortened(to: max(0, width - least - 2))
    let left = "\(state)  \(model.title.printable)"
    guard !right.isEmpty else { return left.shortened(to: width) }
    let room = width - right.columns - 2
    return left.shortened(to: room).padded(to: room) + "  " + right
  }

  /// `0:12.3  ━━━━━━────────··········  0:58.0`; the dots are not fetched yet.
  func position(_ model: PreviewModel) -> String {
    let duration = Self.clock(model.duration)
    // As wide as the duration, so that the bar does not move.
    let time = Self.clock(min(model.time, model.duration)).aligned(to: duration.columns)
    let room = width - time.columns - duration.columns - 4
    guard room >= 4 else { return "\(time) \(duration)".shortened(to: width) }
    let fraction =
      model.duration > .zero ? model.time.seconds / model.duration.seconds : 0
    let filled = Int(Double(room) * max(0, min(1, fraction)))
    return "\(time)  \(timeline(filled, of: room, model))  \(duration)"
  }

  /// The time line behind the position: a column is a line if all of its time is here, else a dot.
  /// O(columns + loaded parts).
  private func timeline(_ filled: Int, of room: Int, _ model: PreviewModel) -> String {
    guard let loaded = model.loaded else { return bar(filled, of: room) }
    func time(_ column: Int) -> Time {
      model.duration.multiplied(by: Int64(column), over: Int64(room))
    }
    var parts = loaded[...]
    let rest = (filled..<room).map { column -> Character in
      let end = time(column + 1)
      while let part = parts.first, part.end < end { parts.removeFirst() }
      return parts.first.map { $0.start <= time(column) } == true ? "─" : "·"
    }
    return bar(filled, of: filled) + (rest.isEmpty ? "" : faint(String(rest)))
  }

  /// `Four lines: librivox-sonnet.mp3, feelings.ogg`
  func names(_ model: PreviewModel) -> String {
    let segments = model.segments.joined(separator: ", ")
    let text = [model.chapter, segments].compactMap { $0 }.filter { !$0.isEmpty }
    return text.joined(separator: ": ").printable.shortened(to: width)
  }

  // MARK: Meters

  /// Columns of the names before the meters.
  func meterNames(_ model: PreviewModel) -> Int {
    let tracks = model.tracks.map { 5 + $0.name.printable.columns }
    let names = tracks + model.channels.map(\.name.columns)
    return min(max(12, width / 4), names.max() ?? 0)
  }

  /// `1 M  voice       ━━━━━━━━━━━━━━━━━━──────│───────    -17.2 dB`
  func track(_ track: PreviewModel.Track, number: Int, _ names: Int) -> String {
    let sign = track.isMuted ? "M" : track.isSolo ? "S" : " "
    let key = number < 10 ? "\(number)" : " "
    return meter("\(key) \(sign)  \(track.name.printable)", track.meter, names)
  }

  /// `L                ━━━━━━━━━━━━━━━━━━━━━━──────│───     -3.2 dB  OVER`
  func channel(_ channel: PreviewModel.Channel, _ names: Int) -> String {
    meter(channel.name, channel.meter, names, over: channel.meter.isOver)
  }

  private func meter(
    _ name: String, _ meter: LevelMeter, _ names: Int, over isOver: Bool = false
  ) -> String {
    let name = name.shortened(to: names).padded(to: names)
    let figure = meter.peak > -100 ? Figures.decibels(meter.peak) + " dB" : ""
    let mark = "  " + (isOver ? colored("OVER", .red) : "    ")
    // Two columns before the bar, the figure and the mark behind it.
    let room = width - names - 2 - 10 - 6
    guard room >= 4 else { return (name + figure.aligned(to: 10)).shortened(to: width) }
    let text =
      "\(name)  \(bar(average: meter.average, peak: meter.held, of: room))\(figure.aligned(to: 10))"
    return isOver ? text + mark : text
  }

  /// `reduction  music duck -12.0 dB  limiter  -1.4 dB`, in as many lines as it takes.
  func reductions(_ model: PreviewModel) -> [String] {
    var lines: [String] = []
    for reduction in model.reductions {
      let gain = Figures.decibels(reduction.gain).aligned(to: 5)
      let figure = "  \(reduction.name.printable) \(gain) dB"
      if let last = lines.last, last.columns + figure.columns <= width {
        lines[lines.count - 1] = last + figure
      } else {
        lines.append((lines.isEmpty ? "reduction" : "         ") + figure)
      }
    }
    return lines.map { $0.shortened(to: width) }
  }

  /// The root mean square as a bar, with a peak as a mark; both in decibels of full scale.
  func bar(average: Double, peak: Double, of room: Int) -> String {
    let filled = Self.columns(of: average, in: room)
    let mark = Self.columns(of: peak, in: room)
    guard mark > 0 else { return bar(filled, of: room) }
    let before = min(filled, mark - 1)
    let behind = max(0, filled - mark)
    return bar(before, of: mark - 1) + colored("│", peak > -1 ? .red : .plain)
      + bar(behind, of: room - mark)
  }

  /// Columns of the room for −60 … 0 dB.
  private static func columns(of decibels: Double, in room: Int) -> Int {
    max(0, min(room, Int(((decibels + 60) / 60 * Double(room)).rounded())))
  }

  /// `-17.3 M  -18.0 S  -17.1 I LUFS  true peak -1.2 dB  OVER`
  func loudness(_ model: PreviewModel) -> String {
    let loudness = model.loudness
    func figure(_ value: Double?) -> String {
      (value.map(Figures.decibels) ?? "-").aligned(to: 5)
    }
    var text =
      "M \(figure(loudness.momentary))  S \(figure(loudness.shortTerm))  "
      + "I \(figure(loudness.integrated)) LUFS"
    if loudness.truePeak > 0, width >= 60 {
      let peak = 20 * log10(loudness.truePeak)
      text += "   true peak \(Figures.decibels(peak).aligned(to: 5)) dB"
    }
    let isOver = model.channels.contains { $0.meter.isOver }
    let isMarked = isOver && text.columns + 6 <= width
    return text.shortened(to: width) + (isMarked ? "  " + colored("OVER", .red) : "")
  }

  // MARK: Below

  /// `default: 48 kHz stereo, 16 bits   213 ms buffered   2 xruns`
  func device(_ device: PreviewModel.Device) -> String {
    let xruns = device.xruns == 1 ? "1 xrun" : "\(device.xruns) xruns"
    let buffered = "\(device.bufferedMilliseconds) ms" + (width < 60 ? "" : " buffered")
    let facts = device.format == nil ? [] : [buffered]
    let parts = facts + (device.xruns == 0 ? [] : [xruns])
    let right = parts.map { "   " + $0 }.joined()
    let name = "\(device.name.printable): \(device.format ?? "not there")"
    return (name.shortened(to: max(0, width - right.columns)) + right).shortened(to: width)
  }

  /// What is being typed, or else what there is to be read; nil for neither.
  func message(_ model: PreviewModel) -> String? {
    if let typed = model.typed { return "go to: \(typed)_".printable.shortened(to: width) }
    if model.takesSolo { return "alone: the number of a track".shortened(to: width) }
    return model.message.map { $0.printable.shortened(to: width) }
  }

  /// The keys that are wanted most.
  func hint(_ model: PreviewModel) -> String {
    let jumps = model.hasChapters ? "n p chapters" : "n p segments"
    var words = ["space pause", "arrows 5 s", "g 1:23", jumps, "+ - volume", "? help", "q quit"]
    // From the middle: how to get help and out is missed most.
    while words.count > 2, words.joined(separator: "   ").columns > width {
      words.remove(at: words.count - 3)
    }
    return faint(words.joined(separator: "   ").shortened(to: width))
  }

  /// A line of the help.
  func help(_ keys: String, _ meaning: String) -> String {
    "\(keys.padded(to: 14))\(meaning)".shortened(to: width)
  }

  // MARK: Figures

  /// To the tenth, rounded down, so that a minute is shown when it is complete.
  package static func clock(_ time: Time) -> String {
    let tenths = Time(
      value: time.converted(toTimescale: 10, rounding: .towardZero).value, timescale: 10)
    return tenths.clockText(decimals: 1)
  }

  static func signed(_ number: Int) -> String { number > 0 ? "+\(number)" : "\(number)" }

  static func rate(_ percent: Int) -> String {
    "\(percent / 100).\(percent % 100 / 10)×"
  }

  /// ` (0.7×)`; empty if it is not known.
  private static func speed(_ rate: Double?) -> String {
    rate.map { " (\(Self.rate(Int($0 * 100))))" } ?? ""
  }

  static func pan(_ percent: Int) -> String {
    percent < 0 ? "left \(-percent) %" : "right \(percent) %"
  }

  // MARK: Colours (ECMA-48, SGR)

  private enum Colour: String {
    case plain = "", red = "31", cyan = "36"
  }

  private func colored(_ text: String, _ colour: Colour) -> String {
    isColored && colour != .plain ? "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m" : text
  }

  private func faint(_ text: String) -> String {
    isColored ? "\u{1B}[2m\(text)\u{1B}[0m" : text
  }

  private func bar(_ filled: Int, of room: Int) -> String {
    let done = String(repeating: "━", count: filled)
    let rest = String(repeating: "─", count: room - filled)
    return (done.isEmpty ? "" : colored(done, .cyan)) + (rest.isEmpty ? "" : faint(rest))
  }
}
