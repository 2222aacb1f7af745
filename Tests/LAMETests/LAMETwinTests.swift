import MPEGAudio
import TestSupport
import Testing

@testable import LAME

/// What Debian's `lame` makes of the same samples, frame by frame.
@Suite("Frames beside lame's own")
struct LAMETwinTests {
  let folder = TestFolder()

  @Test(
    "music of 16 bits gives the frames of lame, but for the attenuation that is cancelled",
    arguments: ["V2", "V0", "V4.5", "abr 128k", "abr 192k", "cbr 128k", "cbr 192k", "cbr 320k"])
  func frames(_ text: String) throws {
    let pcm = try Tool.succeed(
      "ffmpeg", "-v", "error", "-i", Fixture.path("feelings.ogg"), "-f", "s16le", "-"
    ).output
    let settings = try MP3Settings(parsing: text)
    let setup = try EncoderSetup(settings, sampleRate: 44_100, channelCount: 2)
    let (raw, path) = (folder.path("a.raw"), folder.path("a.mp3"))
    try writeFile(raw, pcm)
    let options =
      switch settings.rateControl {
      case .vbr(let quality): ["-V", "\(quality)"]
      case .abr(let bitRate): ["--abr", "\(bitRate / 1000)"]
      case .cbr(let bitRate): ["--cbr", "-b", "\(bitRate / 1000)"]
      }
    // LAME multiplies with a factor of its own for some bit rates; the product is one.
    let result = try Tool.run(
      ["lame", "--quiet", "-t", "--noreplaygain", "-r", "-s", "44.1", "--scale", "\(setup.scale)"]
        + options + [raw, path])
    try #require(result.status == 0, "\(result.errors)")
    let theirs = try readFile(path)

    let sound = channels(2, of: samples(of: pcm))
    var encoder = try setup.open()
    var ours: [UInt8] = []
    try withPlanes(sound) { try encoder.encode($0, count: sound[0].count, into: &ours) }
    try encoder.flush(into: &ours)
    #expect(ours == theirs)

    // Of two encoders that follow one another, one in a thousand frames may be another.
    let twin = try unpacked(theirs, skippingInfo: false)
    let chunked = try unpacked(chunked(sound, setup, nil, cores: 2))
    let alike = zip(chunked, twin).count { $0.hasSameSound(as: $1) }
    #expect(chunked.count == twin.count)
    #expect(alike * 1000 >= 998 * twin.count, "\(alike) of \(twin.count)")
  }

  /// As avjob reads them: ±1 is full scale.
  private func samples(of pcm: [UInt8]) -> [Float] {
    pcm.withUnsafeBytes { raw in
      (0..<raw.count / 2).map {
        Float(Int16(littleEndian: raw.loadUnaligned(fromByteOffset: $0 * 2, as: Int16.self)))
          / 32768
      }
    }
  }
}
