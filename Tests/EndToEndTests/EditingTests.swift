import Glibc
import TestSupport
import Testing

/// Samples at the edges of ranges that are silent or cut.
@Suite("Editing")
struct EditingTests {
  /// Half a second more than a second of noise at 44.1 kHz, of 16 bits.
  private func noise() throws -> Stage {
    let stage = Stage()
    try stage.make("sox -R -r 44100 -n -c 2 -b 16 noise.wav synth 49999s whitenoise vol 0.4")
    return stage
  }

  private func render(_ yaml: String, on stage: Stage) throws -> WAVFile {
    let result = try stage.job(yaml + "\noutput: { file: out.wav, wav: 32 bit float }\n")
    #expect(result.status == 0 && result.errors == "", "\(yaml): \(result.errors)")
    return try WAVFile(stage.path("out.wav"))
  }

  @Test("a muted range is silent to the sample, falls and rises in 5 ms, and the rest is untouched")
  func mute() throws {
    let stage = try noise()
    let whole = try render("clip: noise.wav", on: stage)
    let muted = try render("clip: noise.wav\nmute: [0.2s..0.5s, 1s..]", on: stage)
    #expect(muted.frameCount == whole.frameCount)
    // 5 ms are 220.5 frames.
    #expect(muted.slice(0..<8599) == whole.slice(0..<8599))
    #expect(muted.isSilent(8820..<22050))
    #expect(muted.slice(22271..<43879) == whole.slice(22271..<43879))
    #expect(muted.isSilent(44100..<49999))
    let (a, b) = (whole.floats(0), muted.floats(0))
    for frame in 8600..<8820 {
      let factor = 1 - Float(frame - 8600) / 220
      #expect(abs(b[frame] - a[frame] * factor) < 1e-6)
    }
    for frame in 22050..<22271 {
      let factor = Float(frame - 22050) / 221
      #expect(abs(b[frame] - a[frame] * factor) < 1e-6)
    }
  }

  @Test("a muted range stays on its sound, whatever is cut, turned round or repeated")
  func editedMute() throws {
    let stage = try noise()
    let edits = "cut: [0.1s..0.15s]\nreverse: true\nloop: 2"
    let whole = try render("clip: noise.wav\n\(edits)", on: stage)
    let muted = try render("clip: noise.wav\nmute: [0.2s..0.5s]\n\(edits)", on: stage)
    let length = 49_999 - 2205
    for round in [0, length] {
      // From the end: 0.45 s to 0.15 s after the cut.
      let silent = round + length - 19_845..<round + length - 6615
      #expect(muted.isSilent(silent))
      let before = round..<silent.lowerBound - 221
      let after = silent.upperBound + 221..<round + length
      #expect(muted.slice(before) == whole.slice(before))
      #expect(muted.slice(after) == whole.slice(after))
    }
  }

  @Test("beside its cross-fade a cut is the cut without one, and in it both sides keep their power")
  func crossfade() throws {
    let stage = try noise()
    let whole = try render("clip: noise.wav", on: stage)
    let cut = try render("clip: noise.wav\ncut: [0.3s..0.6s]", on: stage)
    let faded = try render(
      "clip: noise.wav\ncut: { ranges: [0.3s..0.6s], crossfade: 20ms }", on: stage)
    #expect(faded.frameCount == cut.frameCount)
    let (join, half) = (13_230, 441)
    #expect(faded.slice(0..<join - half) == cut.slice(0..<join - half))
    let rest = join + half..<cut.frameCount
    #expect(faded.slice(rest) == cut.slice(rest))
    for channel in 0..<2 {
      let (source, found) = (whole.floats(channel), faded.floats(channel))
      for frame in join - half..<join + half {
        let share = Float(frame - join + half) / Float(2 * half) * .pi / 2
        let expected = source[frame] * cosf(share) + source[frame + 13_230] * sinf(share)
        #expect(abs(found[frame] - expected) < 1e-6)
      }
    }
  }

  @Test("a cross-fade in a tone that a cut joins out of phase leaves no step")
  func click() throws {
    let stage = Stage()
    try stage.make("sox -r 48000 -n -b 16 tone.wav synth 1 sine 220 gain -6")
    func steepest(_ cut: String) throws -> Float {
      let sound = try render("clip: tone.wav\ncut: \(cut)", on: stage).floats(0)
      return zip(sound, sound.dropFirst()).map { abs($0 - $1) }.max() ?? 0
    }
    // Half a period of 220 Hz is 109 frames.
    let range = "[0.3011s..0.6034s]"
    #expect(try steepest(range) > 0.1)
    #expect(try steepest("{ ranges: \(range), crossfade: 10ms }") < 0.02)
  }

  @Test("a volume in the time of the source is that volume, whatever is cut before it")
  func sourceVolume() throws {
    let stage = try noise()
    let volume = "volume: { points: { 0.4s: 0 dB, 0.8s: -20 dB, 1s: 6 dB }, clock: source }"
    let whole = try render("clip: noise.wav\n\(volume)", on: stage)
    let edited = try render(
      "clip: noise.wav\nfrom: 0.1s\ncut: [0.2s..0.4s]\n\(volume)", on: stage)
    #expect(edited.slice(0..<8820) == whole.slice(4410..<13_230))
    #expect(edited.slice(8820..<edited.frameCount) == whole.slice(22_050..<whole.frameCount))
  }
}

extension WAVFile {
  /// Whether all samples of 32 bits in these frames are zero, of either sign.
  fileprivate func isSilent(_ frames: Range<Int>) -> Bool {
    (0..<channelCount).allSatisfy { floats($0)[frames].allSatisfy { $0 == 0 } }
  }
}
