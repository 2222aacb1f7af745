import Diagnosis
import Glibc
import Terminal

/// The lines of levels.
extension PreviewLayout {
  /// Columns of the names before the meters.
  func meterNames(_ model: PreviewModel) -> Int {
    let before = 4 + model.tracks.count.description.count
    let tracks = model.tracks.map { before + plain($0.name).columns }
    let names = tracks + model.channels.map(\.name.columns)
    return min(max(12, width / 4), names.max() ?? 0)
  }

  /// `1 M  voice       ━━━━━━━━━━━━━━━━━━──────│───────    -17.2 dB`
  func track(
    _ track: PreviewModel.Track, number: Int, _ names: Int, isSelected: Bool = false
  ) -> String {
    let sign = track.isMuted ? "M" : track.isSolo ? "S" : " "
    let cursor = isSelected ? ">" : " "
    return meter("\(number) \(sign)\(cursor) \(plain(track.name))", track.meter, names)
  }

  /// `L                ━━━━━━━━━━━━━━━━━━━━━━──────│───     -3.2 dB  OVER`
  func channel(_ channel: PreviewModel.Channel, _ names: Int) -> String {
    meter(channel.name, channel.meter, names, over: channel.meter.isOver)
  }

  private func meter(
    _ name: String, _ meter: LevelMeter, _ names: Int, over isOver: Bool = false
  ) -> String {
    let name = fitted(name, to: names).padded(to: names)
    let figure = meter.peak > -100 ? Figures.decibels(meter.peak) + " dB" : ""
    let mark = "  " + (isOver ? colored("OVER", .red) : "    ")
    // Two columns before the bar, the figure and the mark behind it.
    let room = width - names - 2 - 10 - 6
    guard room >= 4 else { return fitted(name + figure.aligned(to: 10), to: width) }
    let text =
      "\(name)  \(bar(average: meter.average, peak: meter.held, of: room))\(figure.aligned(to: 10))"
    return isOver ? text + mark : text
  }

  /// `reduction  music duck -12.0 dB  limiter  -1.4 dB`, in as many lines as it takes.
  func reductions(_ model: PreviewModel) -> [String] {
    var lines: [String] = []
    for reduction in model.reductions {
      let gain = Figures.decibels(reduction.gain).aligned(to: 5)
      let figure = "  \(plain(reduction.name)) \(gain) dB"
      if let last = lines.last, last.columns + figure.columns <= width {
        lines[lines.count - 1] = last + figure
      } else {
        lines.append((lines.isEmpty ? "reduction" : "         ") + figure)
      }
    }
    return lines.map { fitted($0, to: width) }
  }

  /// The root mean square as a bar, with a peak as a mark; both in decibels of full scale.
  func bar(average: Double, peak: Double, of room: Int) -> String {
    let filled = Self.columns(of: average, in: room)
    let mark = Self.columns(of: peak, in: room)
    guard mark > 0 else { return bar(filled, of: room) }
    let before = min(filled, mark - 1)
    let behind = max(0, filled - mark)
    return bar(before, of: mark - 1)
      + colored(isUnicode ? "│" : "|", peak > -1 ? .red : .plain)
      + bar(behind, of: room - mark)
  }

  /// Columns of the room for −60 … 0 dB.
  private static func columns(of decibels: Double, in room: Int) -> Int {
    max(0, min(room, Int(((decibels + 60) / 60 * Double(room)).rounded())))
  }

  /// `M -17.3  S -18.0  I -17.1 LUFS   true peak  -1.2 dB  OVER`
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
    return fitted(text, to: width) + (isMarked ? "  " + colored("OVER", .red) : "")
  }
}
