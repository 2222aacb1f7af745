import TestSupport
import Testing

@testable import ExportEngine

@Suite("Speex of its own tools")
struct SpeexTests {
  private let folder = TestFolder()

  /// Makes `a.spx` of `count` samples by speexenc, and `a.wav` of it by speexdec.
  private func make(_ options: String, rate: Int, count: Int) throws -> [Float] {
    try Tool.succeed(
      "sh", "-c",
      """
      cd \(folder.path(""))
      sox -R -r \(rate) -n -c 1 -b 16 s.wav synth \(count)s sine 300 sine 521 sine 1900 gain -8 remix -
      speexenc --quality 10 \(options) s.wav a.spx
      speexdec a.spx a.wav
      """)
    return try PlayedSound(folder.path("a.wav")).whole()[0]
  }

  /// Frames of 20 ms, by which the encoder is late too (`SPEEX_GET_LOOKAHEAD`).
  static let modes = [(rate: 8000, late: 40), (rate: 16_000, late: 143), (rate: 32_000, late: 349)]

  @Test("what speexenc wrote has the length and the samples of speexdec", arguments: modes)
  func own(rate: Int, late: Int) throws {
    // Files of two pages and of one; the last frame is full, or has some samples.
    for (options, frames) in [
      ("", 165), ("--vbr", 164), ("--nframes 3", 165), ("", 60), ("--nframes 3", 60), ("", 1),
    ] {
      // To be cut are some samples of the last packet, or more than it has.
      for short in [0, rate / 50 / 3, rate / 50 - 3 * rate / 16_000] {
        let expected = try make(
          options, rate: rate, count: max(rate / 100, frames * rate / 50 - late - short))
        let sound = try PlayedSound(folder.path("a.spx"))
        let heard = try sound.whole()
        let words: Comment = "\(options), \(frames) frames less \(short)"
        #expect(sound.warnings == [], words)
        #expect(heard[0].count == expected.count, words)
        let error = zip(heard[0], expected).reduce(0) { max($0, abs($1.0 - $1.1)) }
        #expect(error < 1e-4, words)
        if frames > 100 { try sound.expectSlices(of: heard) }
      }
    }
  }

  @Test("a last packet of fewer frames is read, or its end is named")
  func terminated() throws {
    let expected = try make("--nframes 5", rate: 8000, count: 26_400)
    let sound = try PlayedSound(folder.path("a.spx"))
    let isWhole = try sound.whole()[0].count == expected.count
    #expect(isWhole == sound.warnings.isEmpty, "\(sound.warnings)")
  }
}
