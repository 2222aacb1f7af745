import Diagnosis
import ExportGraph
import Glibc
import LibAV
import MediaComposition
import MediaTime
import Threads

/// Stills at a constant rate, over which the sound is drawn: bars of its highest samples in the two seconds
/// before and behind each moment, in the lowest fifth of the picture. They move to the left; those that
/// were heard have the colour, and those to come are faint.
///
/// Memory is bounded by a picture and the bars that are seen. There is no last picture: the
/// caller knows where the sound ends.
final class WaveformFrames: PictureFrames {
  let source = 0
  var form: PictureForm { stills.form }
  private let stills: StillFrames
  private let colour: PictureColour
  private let rate: VideoSettings.FrameRate
  private let sound: PeakColumns
  private let place: WaveformPlace
  /// The picture that is shown, darkened where bars are drawn; nil before the first.
  private var shown: Frame?
  private var coming: (frame: Frame, time: Time)?
  /// Of the next picture.
  private var number: Int64 = 0

  /// How much of a still is taken away below the bars, and of a bar's colour where it is to come, of 256.
  private static let (shade, faint) = (160, 112)

  /// `stills` under the bars of `sound`.
  init(
    _ stills: StillFrames, _ colour: VideoSettings.Colour, _ rate: VideoSettings.FrameRate,
    _ sound: OutputSound
  ) {
    (self.stills, self.rate) = (stills, rate)
    self.colour = PictureColour(red: colour.red, green: colour.green, blue: colour.blue)
    place = WaveformPlace(width: stills.form.width, height: stills.form.height)
    self.sound = PeakColumns(sound, aSecond: place.columnsASecond)
  }

  func next() throws(LibAVError) -> (frame: Frame, time: Time)? {
    let time = Time(
      value: Int64(clamping: Int128(number) * Int128(rate.denominator)), timescale: rate.numerator)
    if number == 0 { coming = try stills.next() }
    while let next = coming, next.time <= time || shown == nil {
      let picture = try next.frame.copy()
      picture.blend(columns: 0..<form.width, rows: place.rows, with: .black, weight: Self.shade)
      shown = picture
      coming = try stills.next()
    }
    guard let picture = try shown?.copy() else { return nil }
    for bar in place.bars(at: number, rate) {
      let height: Int
      do throws(Failure) {
        height = place.height(ofPeak: try sound.peak(of: bar.column))
      } catch {
        throw LibAVError.refusedPicture(error.message).blamed(on: error)
      }
      picture.blend(
        columns: bar.columns, rows: place.middle - height..<place.middle + height, with: colour,
        weight: bar.isHeard ? 256 : Self.faint)
    }
    number += 1
    return (picture, time)
  }
}

/// Where the bars of a waveform stand in a picture.
struct WaveformPlace {
  /// Bars for each second: as many as can be told apart.
  let columnsASecond: Int
  private let width: Int
  private let height: Int

  /// Seconds that a picture shows: two before the moment, and two behind it.
  private static let seconds = 4

  init(width: Int, height: Int) {
    (self.width, self.height) = (width, height)
    columnsASecond = width >= 512 ? 16 : width >= 256 ? 8 : 4
  }

  /// The lowest fifth of the picture; a multiple of four, so that its middle is even.
  var rows: Range<Int> { height / 2 * 2 - max(4, height / 5 / 4 * 4)..<height / 2 * 2 }

  /// The row from which bars go up and down.
  var middle: Int { (rows.lowerBound + rows.upperBound) / 2 }

  /// Rows of a bar on each side of the middle, from −48 dB to full scale. Silence is a line of dots.
  func height(ofPeak peak: Float) -> Int {
    let most = max(2, rows.count / 2 * 7 / 8)
    let share = peak > 0 ? (20 * log10(Double(peak)) + 48) / 48 : 0
    return max(2, Int(Double(most) * max(0, min(1, share))) / 2 * 2)
  }

  /// A bar of a picture.
  struct Bar: Equatable {
    /// Of the sound, counted from its start.
    let column: Int64
    /// Of the picture.
    let columns: Range<Int>
    /// Whether its sound has begun.
    let isHeard: Bool
  }

  /// The bars of a picture, by its number, from the left. Those before the sound's start are left out.
  func bars(at number: Int64, _ rate: VideoSettings.FrameRate) -> [Bar] {
    // In columns of the sound, exactly.
    let unit = Int128(rate.numerator)
    let now = Int128(number) * Int128(rate.denominator) * Int128(columnsASecond)
    let seen = Self.seconds * columnsASecond
    let first = Int64(clamping: now / unit) - Int64(seen / 2)
    let barWidth = max(2, width / seen * 5 / 8 / 2 * 2)
    return (max(0, first)...max(0, first + Int64(seen))).map { column in
      // From the left border, or a second beside it, so that nothing is rounded up.
      let distance =
        (Int128(column) * unit - now) * Int128(width) + Int128(seen) * unit * Int128(width)
      let left = (Int(clamping: distance / (Int128(seen) * unit)) - width / 2) / 2 * 2
      return Bar(
        column: column, columns: left..<left + barWidth, isHeard: Int128(column) * unit <= now)
    }
  }
}

/// The sound of an output, rendered for what is shown of it.
struct OutputSound {
  /// At its first frame.
  let renderer: Renderer
  let node: Node.ID
  let sampleRate: Int
  let channelCount: Int
  let frameCount: Int64

  /// Opens the sound of a sink once more.
  ///
  /// - Throws: The failure of a file that cannot be opened.
  init(
    of sink: Sink, in graph: Graph, _ library: MediaLibrary, unless cancellation: CancellationFlag
  ) throws(Failure) {
    renderer = try Renderer(
      graph, library: library, masters: [sink.node], cancellation: cancellation)
    node = sink.node
    let format = graph.nodes[sink.node].format
    (sampleRate, channelCount) = (format.sampleRate, format.channelLayout.count)
    frameCount = Int64(sink.frames.count)
  }
}

/// The highest samples of a sound in columns of equal length. They are read as they are asked for, and the
/// last ones are kept.
final class PeakColumns {
  private let sound: OutputSound
  private let aSecond: Int
  private let buffer: AudioBuffer
  /// The last ones.
  private var peaks: [Float] = []
  /// The column behind them.
  private var next: Int64 = 0

  /// So many are kept: more than a picture shows.
  private static let mostKept = 256

  /// So many columns for each second of a sound.
  init(_ sound: OutputSound, aSecond: Int) {
    (self.sound, self.aSecond) = (sound, aSecond)
    buffer = AudioBuffer(channelCount: sound.channelCount, capacity: Renderer.blockSize)
  }

  /// The highest magnitude in a column; 0 behind the sound's end. Columns are asked for in order, or
  /// shortly before the last one.
  func peak(of column: Int64) throws(Failure) -> Float {
    while next <= column {
      peaks.append(try read(next))
      next += 1
      if peaks.count > Self.mostKept { peaks.removeFirst(peaks.count - Self.mostKept / 2) }
    }
    let index = Int64(peaks.count) - (next - column)
    return index >= 0 ? peaks[Int(index)] : 0
  }

  /// The frame at which a column begins.
  private func start(of column: Int64) -> Int64 {
    let frame = Int128(column) * Int128(sound.sampleRate) / Int128(aSecond)
    return min(Int64(clamping: frame), sound.frameCount)
  }

  private func read(_ column: Int64) throws(Failure) -> Float {
    var highest: Float = 0
    var frame = start(of: column)
    let end = start(of: column + 1)
    while frame < end {
      let count = min(end - frame, Int64(Renderer.blockSize))
      try sound.renderer.read(frame..<frame + count, of: sound.node, into: buffer)
      for channel in 0..<sound.channelCount {
        for sample in buffer.samples(channel) { highest = max(highest, abs(sample)) }
      }
      frame += count
    }
    return highest
  }
}
