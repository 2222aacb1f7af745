import MediaTime
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

  /// Ten seconds of pictures beside sound from 0, or from 2 s on, to 8 s or 12 s: `short` and `late` in each
  /// container, `plain.mkv` without lengths of tracks, and `counted.mkv` with mkvmerge's.
  private func movies() throws {
    try Tool.succeed(
      "sh", "-c",
      """
      cd \(folder.path(""))
      ffmpeg -v error -f lavfi -i testsrc=s=64x48:d=10:r=25 -c:v libx264 -g 25 -pix_fmt yuv420p v.mp4
      sox -R -n -r 44100 -c 1 -b 16 a8.wav synth 8 whitenoise gain -20
      sox -R -n -r 44100 -c 1 -b 16 a10.wav synth 10 whitenoise gain -20
      for kind in mkv flv; do
        ffmpeg -v error -i v.mp4 -i a8.wav -map 0 -map 1 -c:v copy -c:a aac short.$kind
        ffmpeg -v error -i v.mp4 -itsoffset 2 -i a8.wav -map 0 -map 1 -c:v copy -c:a aac late.$kind
        ffmpeg -v error -i v.mp4 -itsoffset 2 -i a10.wav -map 0 -map 1 -c:v copy -c:a aac long.$kind
        head -c $(($(stat -c %s short.$kind) * 6 / 10)) short.$kind > broken.$kind
      done
      ffmpeg -v error -i short.mkv -map 0 -c:v libvpx -deadline realtime -cpu-used 8 -c:a libopus short.webm
      mkvmerge -q --disable-track-statistics-tags -o plain.mkv short.mkv
      mkvmerge -q -o counted.mkv late.mkv
      head -c $(($(stat -c %s plain.mkv) * 6 / 10)) plain.mkv > broken_plain.mkv
      """)
  }

  @Test(
    "the length of a file whose picture is longer than its sound is not announced for the sound")
  func longest() throws {
    try movies()
    let names = [
      "short.mkv", "short.webm", "short.flv", "late.mkv", "late.flv", "long.mkv", "long.flv",
      "plain.mkv", "counted.mkv",
    ]
    for name in names {
      let sound = try PlayedSound(folder.path(name))
      let seconds = Double(sound.asset.frameCount) / Double(sound.asset.sampleRate)
      #expect(abs(seconds - (name.hasPrefix("long") ? 10 : 8)) < 0.1, "\(name)")
      #expect(sound.warnings == [], "\(name)")
      let announced = sound.asset.announcedDuration?.seconds ?? seconds
      #expect(abs(announced - seconds) < 0.1, "\(name)")
    }
  }

  @Test("a file with a picture that breaks off is named, with and without lengths of its tracks")
  func broken() throws {
    try movies()
    for name in ["broken.mkv", "broken.flv", "broken_plain.mkv"] {
      let warnings = try PlayedSound(folder.path(name)).warnings
      #expect(warnings.contains { $0.contains("announces") }, "\(name): \(warnings)")
    }
  }

  @Test("lengths in tags are read to the microsecond")
  func tags() {
    #expect(Time(ofTag: "00:01:02.345000000") == Time(value: 62_345, timescale: 1000))
    #expect(Time(ofTag: "01:00:00") == Time(value: 3600, timescale: 1))
    for text in ["", "8", "00:61:00", "00:00:60.0", "00:00:01.-5", "a:00:00", "00:00:1.2.3"] {
      #expect(Time(ofTag: text) == nil, "\(text)")
    }
  }
}
