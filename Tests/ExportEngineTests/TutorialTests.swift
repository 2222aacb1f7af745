import ExportEngine
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing

@Suite("The tutorial for users of AVFoundation")
struct TutorialTests {
  private let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
  private let voice = Fixture.path("voice-8k.wav")

  @Test("shows the code that runs here, and no other")
  func articleIsTheCode() throws {
    let code = try text(of: #filePath.replacing("TutorialTests", with: "TutorialCode"))
    let article = try text(
      of: root + "/Sources/ExportEngine/ExportEngine.docc/PortingFromAVFoundation.md")
    let regions = blocks(of: code, from: "// article:", to: "// end")
    #expect(regions.count == 10)
    let tabs = article.components(after: "@Tab(\"avjob\")")
    #expect(tabs.flatMap { blocks(of: $0, from: "```swift", to: "```").prefix(1) } == regions)
  }

  @Test("is led to by the README, whose example runs here, over any length of music")
  func readmeIsTheCode() async throws {
    let code = try text(of: #filePath.replacing("TutorialTests", with: "ReadmeExample"))
    let readme = try text(of: root + "/README.md")
    let example = try #require(blocks(of: readme, from: "```swift", to: "```").last)
    #expect(example.joined(separator: "\n") + "\n" == code)
    #expect(readme.contains("(Sources/ExportEngine/ExportEngine.docc/PortingFromAVFoundation.md)"))

    let folder = TestFolder()
    let short = folder.path("short.wav")
    try Tool.succeed("sox", "-n", "-r", "44100", short, "synth", "7", "sine", "200")
    for music in [Fixture.path("feelings.ogg"), short] {
      let output = FilePath(folder.path("episode.m4a"))
      try await makeEpisode(host: FilePath(voice), bed: FilePath(music), output: output)
      // 30.27675 s of talk without 1.25 s of it, at the music's rate.
      let probed = try await MediaLibrary().loadAsset(at: output)
      #expect(probed.frameCount == 1_280_080 && probed.sampleRate == 44_100)
    }
  }

  @Test("clips: the part of the file, to its length")
  func clip() async throws {
    let folder = TestFolder()
    let output = folder.path("clip.m4a")
    let music = Fixture.path("feelings.ogg")
    try await TutorialCode.clip(FilePath(music), FilePath(output))
    let probed = try await MediaLibrary().loadAsset(at: FilePath(output))
    #expect(probed.duration == Time(value: 5, timescale: 1))
    let part = try samples("-i", music, "-ss", "5", "-t", "5")
    #expect(Signal.correlation(part, try samples("-i", output).prefix(part.count)) > 0.9)
  }

  @Test("handles errors: a file that is there stays")
  func handleErrors() async throws {
    let folder = TestFolder()
    let output = folder.path("voice.m4a")
    for _ in 0..<2 {
      try await TutorialCode.handleErrors(FilePath(voice), FilePath(output))
      try Tool.succeed("ffmpeg", "-v", "error", "-xerror", "-i", output, "-f", "null", "-")
    }
  }

  @Test("joins files, sample by sample")
  func concatenate() async throws {
    let folder = TestFolder()
    let output = folder.path("joined.wav")
    let inputs = [voice, voice]
    try await TutorialCode.concatenate(inputs.map { FilePath($0) }, FilePath(output))
    let one = try samples("-i", voice)
    #expect(try samples("-i", output) == one + one)
  }

  @Test("fades in and out, straight in amplitude")
  func rampVolume() async throws {
    let folder = TestFolder()
    let output = folder.path("faded.wav")
    try await TutorialCode.rampVolume(FilePath(voice), FilePath(output))
    let (before, after) = (try samples("-i", voice), try samples("-i", output))
    try #require(before.count == after.count)
    for index in before.indices {
      let edge = min(index, before.count - index)
      let expected = before[index] * min(1, Float(edge) / 16_000)
      try #require(abs(after[index] - expected) < 1e-6, "frame \(index)")
    }
  }

  @Test("edits in the middle: removed, inserted and slowed ranges are at their places")
  func edit() async throws {
    let folder = TestFolder()
    let output = folder.path("edited.wav")
    try await TutorialCode.edit([FilePath(voice), FilePath(voice)], FilePath(output))
    let (before, after) = (try samples("-i", voice), try samples("-i", output))
    // After the opening: all but the cough until the jingle, the jingle, and the rest.
    let opened: [Float] = Array(before[32_000..<48_000] + before[56_000..<80_000])
    #expect(Array(after.dropFirst(40_000)) == opened + before + Array(before[80_000...]))
  }

  @Test("moves from left to right, with a title and chapters")
  func tag() async throws {
    let folder = TestFolder()
    let output = folder.path("walk.mp3")
    try await TutorialCode.tag(FilePath(voice), FilePath(output))
    let sound = try samples("-i", output)
    let sides = sound.channels(2)
    #expect(Signal.gain(of: sides[0][..<40_000], over: sides[1][..<40_000]) > 30)
    #expect(Signal.gain(of: sides[1][80_000...], over: sides[0][80_000...]) > 30)
    let shown = try Tool.run([
      "ffprobe", "-v", "error", "-of", "csv=p=0", "-show_entries",
      "format_tags=title:chapter=start_time:chapter_tags=title", output,
    ]).text
    #expect(shown == "0.000000,On the left\n10.000000,On the right\nA walk\n")
  }

  @Test("shows other pictures beside a sound, all of it copied")
  func showOtherPictures() async throws {
    let films = try Films(["-bf", "0"])
    let output = films.path("out.mp4")
    try await TutorialCode.showOtherPictures(
      [FilePath(films.talk), FilePath(films.slides)], FilePath(output))
    #expect(try films.numbers("out.mp4") == Array(0..<50) + (1025..<1050))
    let sounds = try ["talk.mp4", "out.mp4"].map { try films.sound($0).prefix(180_000) }
    #expect(sounds[0] == sounds[1] && sounds[0].count == 180_000)
  }

  @Test("reads samples as ffmpeg does")
  func read() async throws {
    let steps = try Tool.run(["ffmpeg", "-v", "error", "-i", voice, "-f", "s16le", "-"]).steps
    let peak = steps.map { abs(Int($0)) }.max()
    #expect(try await TutorialCode.read(FilePath(voice)) == peak)
  }

  @Test("writes samples, all of them at their place")
  func write() async throws {
    let folder = TestFolder()
    let output = folder.path("written.m4a")
    try await TutorialCode.write(FilePath(output))
    let written = try await MediaLibrary().loadAsset(at: FilePath(output))
    #expect(written.frameCount == 240_000)
    // FFmpeg 5.1 plays AAC's last packet whole.
    let sound = try samples("-i", output)
    #expect(240_000..<241_024 ~= sound.count)
    let made = (0..<48_000).map { Float(($0 * 3) % 100) / 200 - 0.25 }
    #expect(Signal.correlation(sound[96_000..<144_000], made) > 0.9)
  }

  @Test("changes a track by a processor")
  func process() async throws {
    let folder = TestFolder()
    let output = folder.path("inverted.wav")
    try await TutorialCode.process(FilePath(voice), FilePath(output))
    #expect(try samples("-i", output) == samples("-i", voice).map { -0.5 * $0 })
  }

  // MARK: Help

  private func samples(_ input: String...) throws -> [Float] {
    try Tool.run(["ffmpeg", "-v", "error"] + input + ["-f", "f32le", "-"]).floats
  }

  private func text(of path: String) throws -> String {
    try Tool.run(["cat", path]).text
  }

  /// The lines between two marks, without their common indentation.
  private func blocks(of text: String, from start: String, to end: String) -> [[String]] {
    var found: [[String]] = []
    var open: [Substring]?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let bare = line.drop { $0 == " " }
      if let lines = open {
        guard bare == end else {
          open = lines + [line]
          continue
        }
        let indent = lines.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
        found.append(lines.map { String($0.dropFirst(indent)) })
        open = nil
      } else if bare.hasPrefix(start) {
        open = []
      }
    }
    return found
  }
}

extension String {
  fileprivate func replacing(_ old: String, with new: String) -> String {
    split(separator: old, omittingEmptySubsequences: false).joined(separator: new)
  }

  /// What stands after each `mark`.
  fileprivate func components(after mark: String) -> [String] {
    split(separator: mark, omittingEmptySubsequences: false).dropFirst().map(String.init)
  }
}
