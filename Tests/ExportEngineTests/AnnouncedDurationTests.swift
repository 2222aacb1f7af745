import TestSupport
import Testing

@testable import ExportEngine

@Suite("Durations that headers announce")
struct AnnouncedDurationTests {
  private let folder = TestFolder()

  @Test(
    "a duration that is estimated from the bit rate is not announced",
    arguments: ["-c:a aac e.aac", "-c:a aac -f latm e.latm", "-c:a libmp3lame -q:a 5 e.ts"])
  func estimated(options: String) throws {
    let name = options.split(separator: " ").last.map(String.init) ?? ""
    // A second of noise takes more bits than five of silence behind it.
    try Tool.succeed(
      "sh", "-c",
      """
      cd \(folder.path(""))
      sox -R -n -r 44100 -c 2 -b 16 src.wav synth 1 whitenoise gain -6 pad 0 5
      ffmpeg -v error -i src.wav \(options)
      """)
    let sound = try PlayedSound(folder.path(name))
    #expect(sound.asset.announcedDuration == nil)
    #expect(sound.warnings == [])
    #expect(sound.asset.frameCount > 6 * 44_100)
  }
}
