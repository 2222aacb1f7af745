import MediaTime
import Playback
import Terminal

/// The line on the terminal during a recording.
struct RecordLine {
  /// The state of the recording.
  enum State: String {
    case recording
    case paused
    /// Before the first sound.
    case waiting
    /// Before the key that starts: the pre-roll is held.
    case listening
    /// While the mix is heard up to the place of the take.
    case countIn = "count-in"
    /// The device is disconnected.
    case gone = "no device"
    /// The device, or the file, is being opened.
    case opening
    /// The file is being completed.
    case finishing
  }

  /// What is heard while it is recorded.
  enum Monitoring: Equatable {
    /// The sound, after this time.
    case heard(after: Time)
    /// Nothing: there is no device.
    case gone

    fileprivate var text: String {
      switch self {
      case .heard(let delay): "monitor \(delay.frames(atRate: 1000)) ms"
      case .gone: "monitor: no device"
      }
    }
  }

  var state: State
  var time: Time
  /// Of each channel.
  var levels: [LevelReading]
  /// The number of losses.
  var lossCount: Int
  /// The number of markers.
  var markerCount = 0
  /// The monitor; nil: there is none.
  var monitoring: Monitoring?
  /// How long the disk has room for more.
  var timeLeft: Time?
  /// Whether it is a take to a mix, which cannot be paused.
  var isTake = false
  /// Whether there is a keyboard.
  var hasKeys = true

  /// With more room on the disk than this, the keys are shown before the room.
  private static let scarce = Time(value: 3600, timescale: 1)

  /// The line in at most `width` columns of some characters: the meters get the columns that the
  /// words leave, and the last words are left out first.
  func text(width: Int, in characters: CharacterSet = .unicode) -> String {
    let words = [state.rawValue.padded(to: 9), time.clockText(decimals: 1)].joined(separator: "  ")
    var figures: [String] = []
    if lossCount > 0 { figures.append(lossCount == 1 ? "1 loss" : "\(lossCount) losses") }
    if let monitoring { figures.append(monitoring.text) }
    if markerCount > 0 { figures.append(markerCount == 1 ? "1 marker" : "\(markerCount) markers") }
    let room = timeLeft.map { "\(Self.rough($0)) left on disk" }
    let isRoomScarce = timeLeft.map { $0 < Self.scarce } ?? false
    if let room, isRoomScarce { figures.append(room) }
    switch state {
    case .finishing: figures.append("Ctrl-C: end at once")
    case _ where !hasKeys: break
    case .countIn: figures.append("q: stop")
    case .listening: figures.append("space: record, q: stop")
    case .paused: figures.append("space: continue, q: stop")
    default: figures.append("space: \(isTake ? "stop" : "pause"), m: mark, q: stop")
    }
    if let room, !isRoomScarce { figures.append(room) }
    while !figures.isEmpty, (words + joined(figures)).columns + 24 > width { figures.removeLast() }
    let tail = joined(figures)
    let columns = width - words.columns - tail.columns
    return (words + meters(columns, characters) + tail)
      .shortened(to: max(0, width), marking: characters.ellipsis)
  }

  private func joined(_ figures: [String]) -> String { figures.map { "  " + $0 }.joined() }

  /// A bar for each channel, or one for the loudest where there is no room, and the highest peak.
  private func meters(_ columns: Int, _ characters: CharacterSet) -> String {
    guard let highest = levels.map(\.peakPower).max() else { return "" }
    let number =
      "  "
      + (highest <= LevelReading.silence ? "-inf" : Figures.decibels(highest))
      .aligned(to: 6) + " dB"
    var shown = levels
    if levels.count > 2 || columns - number.columns < levels.count * 12 {
      shown = levels.max { $0.peakPower < $1.peakPower }.map { [$0] } ?? []
    }
    let length = min(30, (columns - number.columns) / max(1, shown.count) - 2)
    guard length >= 8 else { return columns >= number.columns ? number : "" }
    let layout = PreviewLayout(width: length, isColored: false, characters: characters)
    let bars = shown.map { level in
      "  " + layout.bar(average: level.averagePower, peak: level.peakPower, of: length)
    }
    return bars.joined() + number
  }

  /// In the largest unit above 0.
  private static func rough(_ time: Time) -> String {
    let minutes = time.frames(atRate: 1, rounding: .towardZero) / 60
    if minutes < 120 { return "\(minutes) min" }
    return minutes < 72 * 60 ? "\(minutes / 60) h" : "\(minutes / 60 / 24) days"
  }
}

extension Recording {
  /// The report of the `lostFrames` that a monitor has lost since the recording began; nil if they
  /// are less than 20 ms: a monitor loses a few milliseconds whenever its device starts, and nobody
  /// misses them.
  func unheardText(_ lostFrames: Int64) -> String? {
    // The monitor also plays what is not recorded.
    let time = Time(frames: min(lostFrames, frameCount), rate: max(1, sampleRate))
    guard time >= Time(value: 20, timescale: 1000) else { return nil }
    return "\(time.clockText(decimals: 3)) were recorded, and not heard through the monitor"
  }
}
