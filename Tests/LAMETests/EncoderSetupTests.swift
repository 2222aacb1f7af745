import MPEGAudio
import TestSupport
import Testing

@testable import LAME

/// Settings of all kinds, many of them impossible.
private struct AnySettings {
  var settings: MP3Settings
  let sampleRate: Int
  let channelCount: Int

  init(_ dice: inout Dice) {
    func pick<T>(_ values: [T]) -> T { values[Int(dice.number(0..<Int64(values.count)))] }
    func rarely<T>(_ values: [T]) -> T? { dice.number(0..<3) == 0 ? pick(values) : nil }
    sampleRate = pick(MP3Settings.sampleRates)
    channelCount = pick([1, 2])
    let bitRates = [0, 8, 16, 24, 32, 40, 64, 65, 80, 96, 112, 128, 144, 160, 192, 256, 310, 320]
    let rates = bitRates.map { $0 * 1000 } + [-8000, 96_500, 311_000, 321_000]
    settings = MP3Settings(
      pick([
        .vbr(quality: pick([-0.1, 0, 0.5, 2, 4.25, 9, 9.999, 9.9991, 10, .nan, .infinity])),
        .abr(bitRate: pick(rates)), .cbr(bitRate: pick(rates)),
      ]))
    settings.quality = rarely([-1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    settings.stereoMode = rarely(MP3Settings.StereoMode.allCases) ?? .joint
    let frequencies = [
      -1, 0, 1, 100, 128, 130, 481, 600, 711, 712, 2000, 3999, 4000, 5511, 5512, 8000, 11_025,
      15_000,
      15_999, 16_000, 20_500, 20_501, 22_049, 22_050, 23_999, 24_000, 30_000, .max,
    ]
    settings.lowpass = rarely(frequencies.map { .hertz($0) } + [.off]) ?? .automatic
    settings.highpass = rarely(frequencies)
    settings.minimumBitRate = rarely(rates)
    settings.maximumBitRate = rarely(rates)
  }
}

@Suite("Settings that LAME is asked for")
struct EncoderSetupTests {
  let folder = TestFolder()

  @Test("what check lets through is what LAME does, and all of it", arguments: 0..<4)
  func problems(seed: Int) throws {
    var dice = Dice(UInt64(seed))
    var possible = 0
    for _ in 0..<600 {
      let any = AnySettings(&dice)
      let problem = any.settings.problem(
        sampleRate: any.sampleRate, channelCount: any.channelCount)
      var refusal: String?
      do throws(LAMEError) {
        let setup = try EncoderSetup(
          any.settings, sampleRate: any.sampleRate, channelCount: any.channelCount)
        let encoder = try setup.open()
        possible += 1
        #expect(encoder.scale == 1)
        if any.settings.lowpass == .off {
          #expect(encoder.lowpassFrequency == -1)
        } else {
          let lowpass = any.settings.lowpassFrequency(
            sampleRate: any.sampleRate, channelCount: any.channelCount)
          #expect(encoder.lowpassFrequency == lowpass, "\(any)")
        }
      } catch {
        refusal = error.message
      }
      #expect(
        (problem == nil) == (refusal == nil),
        "\(any): \(problem ?? "no problem"); LAME: \(refusal ?? "does it")")
    }
    #expect(possible > 40)
  }

  @Test("every pair of a sample rate and a bit rate of its MPEG version can be encoded")
  func pairs() throws {
    for sampleRate in MP3Settings.sampleRates {
      let means = try #require(MP3Settings.meanBitRates(forSampleRate: sampleRate))
      let controls =
        MP3Settings.bitRates(forSampleRate: sampleRate).map {
          MP3Settings.RateControl.cbr(bitRate: $0)
        }
        + stride(from: means.lowerBound, through: means.upperBound, by: 7000).map {
          .abr(bitRate: $0)
        } + stride(from: 0, through: 9.99, by: 0.37).map { .vbr(quality: $0) }
      for control in controls {
        for channelCount in 1...2 {
          let setup = try EncoderSetup(
            .init(control), sampleRate: sampleRate, channelCount: channelCount)
          let encoder = try setup.open()
          #expect(encoder.scale == 1)
          #expect(
            encoder.lowpassFrequency
              == setup.settings.lowpassFrequency(
                sampleRate: sampleRate, channelCount: channelCount))
        }
      }
    }
  }

  /// The headers of the frames that LAME makes of `sound`, at 44.1 kHz in stereo.
  private func headers(_ sound: [[Float]], _ settings: MP3Settings) throws -> [FrameHeader] {
    var encoder = try EncoderSetup(settings, sampleRate: 44100, channelCount: 2)
      .open()
    var bytes: [UInt8] = []
    try withPlanes(sound) { try encoder.encode($0, count: sound[0].count, into: &bytes) }
    try encoder.flush(into: &bytes)
    return try self.headers(of: bytes)
  }

  private func headers(of bytes: [UInt8]) throws -> [FrameHeader] {
    var headers: [FrameHeader] = []
    var position = 0
    while position + 4 <= bytes.count {
      let bits = bytes[position..<position + 4].reduce(0) { $0 << 8 | UInt32($1) }
      let header = try #require(FrameHeader(bits: bits))
      headers.append(header)
      position += try #require(header.frameLength)
    }
    return headers
  }

  @Test(
    "no frame has less than the least bit rate, in silence neither, nor more than the highest",
    arguments: [
      MP3Settings.RateControl.vbr(quality: 0), .vbr(quality: 5), .vbr(quality: 9.9),
      .abr(bitRate: 112_000),
    ])
  func bounds(_ control: MP3Settings.RateControl) throws {
    let noise = Signal.noise(seed: 4, count: 30_000)
    let silence = [Float](repeating: 0, count: 60_000)
    let sound = [noise + silence, silence + noise].map { Array($0) }
    var settings = MP3Settings(control)
    let free = try headers(sound, settings).map(\.bitRate)
    #expect(free.min() == 32_000)
    (settings.minimumBitRate, settings.maximumBitRate) = (80_000, 128_000)
    let bound = try headers(sound, settings).map(\.bitRate)
    #expect(bound.min() == 80_000 && bound.max() ?? 0 <= 128_000)
    (settings.minimumBitRate, settings.maximumBitRate) = (112_000, 112_000)
    #expect(try headers(sound, settings).allSatisfy { $0.bitRate == 112_000 })
  }

  @Test(
    "bounds hold in a stream of many encoders, too, whatever it sounds like",
    arguments: ["V0", "abr 112k"])
  func boundsOfChunks(text: String) throws {
    var settings = try MP3Settings(parsing: text)
    for (least, most) in [(80_000, 128_000), (112_000, 112_000)] {
      (settings.minimumBitRate, settings.maximumBitRate) = (least, most)
      let setup = try EncoderSetup(settings, sampleRate: 44100, channelCount: 2)
      for name in ["white noise", "a full-scale square wave after silence"] {
        let stream = try chunked(
          Material.named(name), setup, ChunkEncoderTests.short(setup), cores: 2)
        // Without the Info frame, which has a bit rate of its own.
        let rates = try headers(of: stream).dropFirst().map(\.bitRate)
        #expect(
          rates.allSatisfy { least...most ~= $0 }, "\(name), \(settings)")
      }
    }
  }

  @Test("joint stereo chooses by frame, forced is always middle and side, simple never")
  func modes() throws {
    let left = Signal.glide(sampleRate: 44100, count: 40_000)
    let right = Signal.noise(seed: 6, count: 40_000)
    let quiet = [Float](repeating: 0, count: 40_000)
    // Alike, then unlike.
    let sound = [left + left, left + right].map { Array($0) }
    for control in [MP3Settings.RateControl.vbr(quality: 4), .cbr(bitRate: 128_000)] {
      var settings = MP3Settings(control)
      let joint = try headers(sound, settings)
      #expect(joint.allSatisfy { $0.channelMode == .jointStereo })
      #expect(Set(joint.map { $0.bits >> 4 & 3 }) == [0, 2])
      settings.stereoMode = .forced
      let forced = try headers([left + quiet, quiet + right].map { Array($0) }, settings)
      #expect(forced.allSatisfy { $0.channelMode == .jointStereo && $0.bits >> 4 & 3 == 2 })
      settings.stereoMode = .simple
      #expect(try headers(sound, settings).allSatisfy { $0.channelMode == .stereo })
    }
  }

  /// By how many decibels a tone of `frequency` is quieter after `settings`, at 44.1 kHz.
  private func loss(_ frequency: Double, _ settings: MP3Settings) throws -> Double {
    let tone = Signal.sine(frequency: frequency, sampleRate: 44100, count: 22_050)
    let path = folder.path("a.mp3")
    try writeFile(path, try encoded([tone], settings, sampleRate: 44100))
    let output = try decoded(path, channelCount: 1)[0]
    return -Signal.gain(of: output[4000..<18_000], over: tone[4000..<18_000])
  }

  @Test("a lowpass and a highpass take away what is beyond them, and nothing else")
  func filters() throws {
    for control in [MP3Settings.RateControl.vbr(quality: 2), .cbr(bitRate: 320_000)] {
      var settings = MP3Settings(control)
      (settings.lowpass, settings.highpass) = (.hertz(8000), 2000)
      #expect(try abs(loss(5000, settings)) < 0.02)
      #expect(try loss(9500, settings) > 40 && loss(1000, settings) > 40)
      (settings.lowpass, settings.highpass) = (.off, nil)
      let kept = try [loss(20_500, settings), loss(60, settings)]
      // Above 16 kHz VBR quantizes in steps of a global gain; at either side a tone is 0.3 dB off.
      #expect(kept.allSatisfy { abs($0) < 0.4 }, "\(control): \(kept)")
      settings.lowpass = .automatic
      #expect(try loss(20_500, settings) > 35)
      // The lowest that there is does something.
      settings.highpass = 481
      #expect(try loss(100, settings) > 40 && abs(loss(2000, settings)) < 0.02)
      settings.highpass = nil
      settings.lowpass = .hertz(712)
      #expect(try loss(2500, settings) > 40 && abs(loss(300, settings)) < 0.1)
    }
  }

  @Test("the lowest highpass is the lowest that lame does not disable")
  func highpassBounds() throws {
    let path = folder.path("a.wav")
    try Tool.succeed("sox", "-n", "-r", "44100", "-c", "1", path, "synth", "0.1", "sine", "500")
    for (hertz, isApplied) in [(480, false), (481, true)] {
      let result = try Tool.succeed(
        "lame", "-V2", "--highpass", "\(Double(hertz) / 1000)", path, folder.path("a.mp3"))
      #expect(result.errors.contains("polyphase highpass filter") == isApplied)
      var settings = MP3Settings.standard
      settings.highpass = hertz
      #expect((settings.problem(sampleRate: 44100, channelCount: 1) == nil) == isApplied)
    }
  }
}
