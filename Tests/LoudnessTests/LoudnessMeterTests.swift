import Foundation
import Loudness
import MediaComposition
import TestSupport
import Testing

@Suite struct LoudnessMeterTests {
  @Test(
    "loudness and true peak are those of FFmpeg's meter",
    arguments: ["feelings.ogg", "librivox-sonnet.mp3"])
  func agreesWithFFmpeg(name: String) throws {
    let path = Fixture.path(name)
    let meter = try LoudnessMeter(sampleRate: 48_000, positions: [.front, .front])
    let frames = try floats(
      Tool.succeed(
        "ffmpeg", "-v", "error", "-i", path, "-f", "f32le", "-ac", "2", "-ar", "48000", "-"
      ).output)
    meter.add(frames)
    let summary =
      try Tool.succeed(
        "ffmpeg", "-v", "info", "-nostats", "-i", path, "-af",
        "aformat=sample_rates=48000:channel_layouts=stereo,ebur128=peak=true", "-f", "null", "-"
      ).errors.components(separatedBy: "Summary:").last ?? ""
    let integrated = try #require(number(after: "I:", in: summary))
    let peak = try #require(number(after: "Peak:", in: summary))
    // FFmpeg prints one digit, and its histogram of blocks has steps of a tenth.
    var counter = LoudnessHistogram.Counter()
    for block in try #require(meter.takeReading()).blocks { counter.add(energy: block) }
    #expect(abs(try #require(counter.histogram.integrated) - integrated) <= 0.1)
    #expect(abs(20 * log10(meter.truePeak) - peak) <= 0.3)
  }

  @Test("a tone of 997 Hz at -23 dBFS on both sides is -23 LUFS (EBU Tech 3341, case 1)")
  func measuresTheTone() throws {
    let meter = try LoudnessMeter(sampleRate: 48_000, positions: [.front, .front])
    let amplitude = pow(10, -23.0 / 20)
    meter.add(
      (0..<48_000 * 5).flatMap { index in
        let sample = Float(amplitude * sin(2 * .pi * 1000 * Double(index) / 48_000))
        return [sample, sample]
      })
    let reading = try #require(meter.takeReading())
    for loudness in [reading.momentary, reading.shortTerm] {
      #expect(abs(try #require(loudness) + 23) <= 0.1)
    }
    #expect(meter.takeReading() == nil)
  }

  @Test(
    "readings are those of FFmpeg's meter at each tenth of a second",
    arguments: [44_100, 44_097, 48_000])
  func readings(rate: Int) throws {
    let path = Fixture.path("librivox-sonnet.mp3")
    let frames = try floats(
      Tool.succeed(
        "ffmpeg", "-v", "error", "-i", path, "-f", "f32le", "-ac", "2", "-ar", "\(rate)", "-"
      ).output)
    let printed =
      try Tool.succeed(
        "ffmpeg", "-v", "error", "-i", path, "-af",
        "aresample=\(rate),aformat=channel_layouts=stereo,aresample=48000,"
          + "ebur128=metadata=1,ametadata=print:file=-", "-f", "null", "-"
      ).text
    func values(_ key: String) -> [Double] {
      printed.split(separator: "\n").filter { $0.hasPrefix("lavfi.r128.\(key)=") }
        .compactMap { Double($0.split(separator: "=")[1]) }
    }
    let (momentary, shortTerm) = (values("M"), values("S"))
    let meter = try LoudnessMeter(sampleRate: rate, positions: [.front, .front])
    var readings: [LoudnessMeter.Reading] = []
    // Blocks as a player has them.
    for start in stride(from: 0, to: frames.count, by: 2 * 1024) {
      meter.add(Array(frames[start..<min(start + 2 * 1024, frames.count)]))
      if let reading = meter.takeReading() { readings.append(reading) }
    }
    #expect(readings.count > 50)
    #expect(readings.map(\.blocks.count).reduce(0, +) == readings.count - 3)
    // A reading is of a whole tenth, and FFmpeg's first one is at 400 ms.
    for (index, reading) in readings.enumerated().dropFirst(3) {
      let theirs = momentary[index]
      if theirs > -60 { #expect(abs(try #require(reading.momentary) - theirs) < 0.15) }
      if index >= 29, shortTerm[index] > -60 {
        #expect(abs(try #require(reading.shortTerm) - shortTerm[index]) < 0.1)
      }
    }
  }

  @Test("true peaks are told of each channel, and anew after each look")
  func truePeaks() throws {
    let meter = try LoudnessMeter(sampleRate: 48_000, positions: [.front, .front])
    // A quarter of the rate, sampled at 45 degrees: the peaks lie between, 3 dB higher.
    let tone = (0..<4800).flatMap { index -> [Float] in
      let sample = Float(sin(.pi / 2 * (Double(index) + 0.5)))
      return [sample, sample / 2]
    }
    meter.add(tone)
    let peaks = meter.takeTruePeaks()
    #expect(peaks.count == 2)
    #expect(abs(peaks[0] - 1) < 0.02 && abs(peaks[1] - 0.5) < 0.02, "\(peaks)")
    #expect(tone.max() ?? 1 < 0.71)
    // What is in the meter's filter is heard out.
    meter.add([Float](repeating: 0, count: 200))
    _ = meter.takeTruePeaks()
    meter.add(tone.map { $0 / 2 })
    #expect(abs(meter.takeTruePeaks()[0] - 0.5) < 0.02)
    #expect(meter.takeTruePeaks() == [0, 0])
  }

  @Test(
    "true peaks are those of the filter, whatever the pieces that sound comes in",
    arguments: [(8000, 4), (44_100, 4), (95_999, 4), (96_000, 2), (176_400, 2), (192_000, 1)])
  func pieces(rate: Int, factor: Int) throws {
    var dice = Dice(UInt64(rate))
    for _ in 0..<20 {
      let noise = Signal.noise(seed: dice.next(), count: Int(dice.number(1..<3000)), amplitude: 1)
      let meter = try LoudnessMeter(sampleRate: rate, positions: [.front])
      var done = 0
      while done < noise.count {
        let count = min(noise.count - done, Int(dice.number(1..<1500)))
        var piece = Array(noise[done..<done + count])
        piece.withUnsafeMutableBufferPointer { piece in
          guard let start = piece.baseAddress else { return }
          var planes = [start]
          meter.add(&planes, count: count)
        }
        done += count
      }
      let peak = between(noise, factor).max() ?? 0
      #expect(abs(meter.truePeak - peak) < 1e-5)
      #expect(meter.takeTruePeaks() == [meter.truePeak])
    }
  }

  /// Magnitudes of samples, and of so many values for each of them, by the definition: what lies between
  /// is samples with zeros between them, convolved with a sinc in a Hann window.
  private func between(_ samples: [Float], _ factor: Int) -> [Double] {
    let known = samples.map { abs(Double($0)) }
    guard factor > 1 else { return known }
    let kernel = (-24...24).map { index -> Double in
      let turn = .pi * Double(index) / Double(factor)
      return (index == 0 ? 1 : sin(turn) / turn) * pow(cos(.pi * Double(index) / 48), 2)
    }
    let values = (0..<samples.count * factor).map { place -> Double in
      let taps = stride(from: place % factor, to: min(49, place + 1), by: factor)
      return abs(taps.reduce(0) { $0 + kernel[$1] * Double(samples[(place - $1) / factor]) })
    }
    return known + values
  }

  @Test("silence has no loudness")
  func hearsSilence() throws {
    let meter = try LoudnessMeter(sampleRate: 44_100, positions: [.front, .front])
    #expect(meter.takeReading() == nil)
    meter.add([Float](repeating: 0, count: 2 * 44_100))
    let reading = try #require(meter.takeReading())
    #expect((reading.momentary, reading.shortTerm) == (nil, nil))
    #expect(meter.truePeak == 0)
  }

  @Test("a rate that no meter has is refused")
  func refusesRates() {
    #expect(throws: LoudnessMeter.MeterError.self) {
      try LoudnessMeter(sampleRate: 1, positions: [.front])
    }
  }

  private func number(after label: String, in text: String) -> Double? {
    guard let range = text.range(of: label) else { return nil }
    return text[range.upperBound...].split(separator: " ").first.flatMap { Double($0) }
  }

  private func floats(_ bytes: [UInt8]) -> [Float] {
    bytes.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
  }
}

extension LoudnessMeter {
  /// Hears two channels side by side.
  fileprivate func add(_ frames: [Float]) {
    var left = frames.channel(0, of: 2)
    var right = frames.channel(1, of: 2)
    left.withUnsafeMutableBufferPointer { left in
      right.withUnsafeMutableBufferPointer { right in
        guard let first = left.baseAddress, let second = right.baseAddress else { return }
        var planes = [first, second]
        add(&planes, count: left.count)
      }
    }
  }
}
