import SystemPackage
import TestSupport
import Testing

@testable import ExportEngine

/// Files from which packets are missing, as their time stamps say.
@Suite("Reading past holes in time stamps")
struct TimeHoleTests {
  private let folder = TestFolder()

  /// A glide of five seconds in which packets are left out. Without `-copyts` ffmpeg would move
  /// chapters by a delay that is rounded to a tick.
  private func make(_ name: String, _ options: String, without packets: String) throws -> String {
    let path = folder.path(name)
    try Tool.succeed(
      "sh", "-c",
      """
      cd \(folder.path(""))
      sox -R -n -r 48000 -c 1 -b 16 src.wav synth 5 sine 300-3000 gain -6
      printf ';FFMETADATA1\\n' > tags
      for s in 0 1000 4000; do
        printf '[CHAPTER]\\nTIMEBASE=1/1000\\nSTART=%s\\nEND=5000\\ntitle=%s\\n' $s $s >> tags
      done
      ffmpeg -v error -i src.wav -i tags -map_chapters 1 \(options) whole-\(name)
      ffmpeg -v error -copyts -i whole-\(name) -c copy -bsf:a "noise=amount=0:drop='\(packets)'" \
        \(name)
      """)
    return path
  }

  @Test(
    "silence stands for a second that is missing, what follows keeps its place, and that is said",
    arguments: [
      ("a.mka", "-c:a aac -aac_pns 0", 1024), ("a.m4a", "-c:a aac -aac_pns 0", 1024),
      ("o.webm", "-c:a libopus -application lowdelay", 960), ("f.mka", "-c:a flac", 4608),
      ("f.flv", "-c:a aac -aac_pns 0", 1024), ("t.ts", "-c:a aac -aac_pns 0", 1024),
      ("l.m4a", "-c:a alac", 4096), ("m.mka", "-c:a libmp3lame -b:a 64k", 1152),
      ("m.avi", "-c:a libmp3lame -b:a 64k", 1152), ("c.avi", "-c:a ac3", 1536),
    ])
  func hole(_ name: String, _ options: String, _ packet: Int) throws {
    let (first, count) = (96_000 / packet, 48_000 / packet)
    let path = try make(
      name, options, without: "between(n,\(first),\(first + count - 1))")
    let whole = try PlayedSound(folder.path("whole-" + name))
    let sound = try PlayedSound(path)
    #expect((sound.asset.frameCount - whole.asset.frameCount).magnitude <= 48)
    #expect(sound.warnings.count == 1)
    let warning = sound.warnings.first ?? ""
    #expect(warning.hasPrefix("has a hole of \(count * packet / 48_000 == 1 ? "1.0" : "0.9")"))
    #expect(warning.hasSuffix("; silence is put there"))
    let (heard, expected) = (try sound.whole(), try whole.whole())
    let end = min(heard[0].count, expected[0].count)
    let isSilent = heard[0][108_000..<136_000].allSatisfy { $0 == 0 }
    #expect(isSilent)
    for part in [24_000..<90_000, 160_000..<end - 1000] {
      // Rounded times move the sound by half a millisecond at most.
      let shift = (-24...24).map { shift in
        Signal.correlation(
          heard[0][part.lowerBound + shift..<part.upperBound + shift],
          expected[0][part])
      }
      #expect((shift.max() ?? 0) > 0.99, "\(part)")
    }
    try sound.expectSlices(of: heard, around: [first * packet, (first + count) * packet])
    if !whole.asset.chapters.isEmpty {
      #expect(sound.asset.chapters.map(\.start) == whole.asset.chapters.map(\.start))
    }
  }

  @Test("packets that are missing here and there are each made good")
  func several() throws {
    let path = try make(
      "a.mka", "-c:a aac -aac_pns 0", without: "eq(n,50)+eq(n,90)+between(n,150,159)")
    let (whole, sound) = (try PlayedSound(folder.path("whole-a.mka")), try PlayedSound(path))
    #expect(sound.asset.frameCount == whole.asset.frameCount)
    // FFmpeg's muxer says how much of the sound is priming from its version 7 on.
    let priming = whole.asset.encoderDelay ?? 0
    #expect([0, 1024].contains(priming))
    #expect(
      sound.warnings == [
        "has 3 holes in its time stamps, the first of 0.021 s at \(priming == 0 ? "1.067" : "1.045") s; "
          + "0.256 s of silence is put there"
      ])
    try sound.expectSlices(
      of: try sound.whole(), around: [50, 90, 160].map { $0 * 1024 - priming })
  }

  @Test(
    "times that are rounded, and those of other clocks, leave sound whole",
    arguments: [
      "-c:a aac r.mka", "-c:a libopus -frame_duration 2.5 r.webm", "-c:a libvorbis r.mkv",
      "-c:a aac -ar 44100 r.mka", "-c:a aac -ar 11025 r.mkv", "-c:a aac r.flv",
      "-c:a libmp3lame -ar 22050 r.flv", "-c:a mp2 r.ts", "-c:a ac3 r.ts",
      "-c:a aac -ar 44100 r.ts",
      "-c:a libmp3lame r.avi", "-c:a pcm_s16le r.avi", "-c:a aac r.avi", "-c:a wmav2 r.asf",
      "-c:a pcm_s16le -ar 44100 r.mka", "-c:a aac -video_track_timescale 600 r.mov",
      "-c:a aac r.nut", "-c:a mp2 r.mpg", "-c:a libopus -ar 48000 r.mkv",
    ])
  func noHole(options: String) throws {
    let path = folder.path(String(options.split(separator: " ").last ?? ""))
    try Tool.succeed(
      "sh", "-c",
      """
      cd \(folder.path(""))
      sox -R -n -r 48000 -c 2 -b 16 src.wav synth 7 sine 300-3000 gain -6
      ffmpeg -v error -i src.wav \(options)
      """)
    let sound = try PlayedSound(path)
    #expect(sound.warnings == [])
    let frames = try sound.whole()[0].count
    #expect(frames == Int(sound.asset.frameCount))
  }

  @Test(
    "silence stands for a page of Ogg that is lost or damaged, and what follows keeps its place",
    arguments: ["c.ogg -c:a libvorbis", "c.opus -c:a libopus", "c.oga -c:a flac"],
    [false, true])
  func page(options: String, isDamaged: Bool) throws {
    let parts = options.split(separator: " ", maxSplits: 1).map(String.init)
    let pages = try OggPages(parts[0], parts[1], in: folder)
    let whole = try PlayedSound(folder.path(parts[0]))
    #expect(whole.warnings == [])
    let expected = try whole.whole()[0]
    let place = pages.all.count / 2
    var left = pages
    if isDamaged {
      left.all[place][left.all[place].endIndex - 3] ^= 1
    } else {
      left.all.remove(at: place)
    }
    let path = folder.path("lost-" + parts[0])
    try left.write(path)
    let sound = try PlayedSound(path)
    #expect(sound.asset.frameCount == whole.asset.frameCount)
    #expect(sound.warnings.count == 1)
    let warning = sound.warnings.first ?? ""
    #expect(warning.hasPrefix("has a hole of 0."), "\(warning)")
    #expect(warning.hasSuffix("; silence is put there"), "\(warning)")
    let heard = try sound.whole()
    let (start, end) = (Int(pages.granule(place - 1)), Int(pages.granule(place)))
    #expect(end - start > 20_000)
    let middle = (start + end) / 2
    let isSilent = heard[0][middle - 5000..<middle + 5000].allSatisfy { $0 == 0 }
    #expect(isSilent)
    // The click is behind the hole; codecs need some blocks until they agree.
    for part in [24_000..<start - 8192, end + 24_000..<expected.count - 4800] {
      #expect(Signal.correlation(heard[0][part], expected[part]) > 0.99, "\(part)")
    }
    try sound.expectSlices(of: heard, around: [start, end])
  }

  @Test("a number that is left out in Ogg, of which no frame is missing, is no hole")
  func numbers() throws {
    var pages = try OggPages("c.ogg", "-c:a libvorbis", in: folder)
    for index in pages.all.indices.dropFirst(pages.all.count / 2) {
      pages.set(number: index + 1, of: index)
    }
    try pages.write(folder.path("n.ogg"))
    let (whole, sound) = (
      try PlayedSound(folder.path("c.ogg")), try PlayedSound(folder.path("n.ogg"))
    )
    #expect(sound.warnings == [])
    #expect(try sound.whole() == whole.whole())
  }
}
