import Diagnosis
import ExportGraph
import MPEGAudio
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing

@testable import ExportEngine

/// Exports whose files are held to delivery specifications.
@Suite("Conforming exports") struct ConformingTests {
  let stage = Stage()

  /// Four seconds of sound in a room that hums at −70 dB.
  private func chapter(head: Double = 0.75, tail: Double = 2, tone: Float = 0.7) throws -> Segment {
    let rate = 44_100
    func sound(_ seconds: Double, _ level: Float) -> [Float] {
      Signal.glide(sampleRate: rate, count: Int(seconds * Double(rate))).map { $0 * level }
    }
    let samples = sound(head, 0.0018) + sound(4, tone) + sound(tail, 0.0018)
    return clip(try stage.sound([samples], rate: rate))
  }

  private func export(
    _ segment: Segment, _ format: Output.Format, _ names: String..., at path: String = "a.mp3"
  ) -> Export {
    var output = Output(path: FilePath(stage.folder.path(path)), format: format)
    output.conform = names.enumerated().map {
      ConformRequest($0.element, origin: Origin(rawValue: UInt32($0.offset + 7)))
    }
    return Export(name: "job", composition: composition(segment), outputs: [output])
  }

  private let mp3 = Output.Format.mp3(MP3Settings(.cbr(bitRate: 192_000)))

  private func failure(_ export: Export) throws -> Failure {
    do throws(Failure) {
      _ = try ExportSession(export, library: stage.library).run()
    } catch {
      return error
    }
    throw Failure(.reportBug, "did not fail")
  }

  @Test("a file that conforms takes its place, and the report has each check")
  func passing() throws {
    let report = try ExportSession(export(try chapter(), mp3, "acx"), library: stage.library).run()
    let conformance = try #require(report.outputs[0].conformances.first)
    #expect(conformance.isMet, "\(conformance.refusal ?? "")")
    #expect(conformance.checks.count == 11)
    #expect(report.outputs[0].loudness != nil)
    #expect(try stage.library.asset(at: report.outputs[0].path).codec == "mp3")
  }

  @Test("a file that fails a limit is not put in its place, and nothing is left beside the old one")
  func failing() throws {
    let path = stage.folder.path("a.mp3")
    try writeFile(path, "old".utf8)
    let failure = try failure(export(try chapter(tail: 0.5), mp3, "spotify", "acx"))
    #expect(failure.remedy == .mendInput && failure.location?.description == path)
    #expect(failure.origin == Origin(rawValue: 8))
    #expect(
      failure.message.hasPrefix("does not conform to acx: room tone at the end 0.5"),
      "\(failure.message)")
    #expect(try readFile(path) == Array("old".utf8))
    let files = try Tool.succeed("ls", "-A", stage.folder.root).text.split(separator: "\n")
    #expect(Set(files) == ["a.mp3", "sound.wav", "sound.wav.raw"])
  }

  @Test("a level by 'loudness' makes a file conform that would not by itself")
  func brought() throws {
    let quiet = try chapter(tone: 0.35)
    #expect(try failure(export(quiet, mp3, "acx")).message.contains("RMS −26."))
    var made = export(quiet, mp3, "acx")
    made.loudness = DeliverySpecification.named("acx")?.target
    let report = try ExportSession(made, library: stage.library).run()
    #expect(report.outputs[0].conformances.map(\.isMet) == [true])
  }

  @Test("what settings, tags or a level make impossible is refused before any work")
  func impossible() throws {
    let segment = try chapter()
    func problem(_ export: Export) -> String {
      ExportSession(export, library: stage.library).review().problems.map(\.message).joined()
    }
    #expect(problem(export(segment, mp3, "acx", "spotify", "ebu-r128")) == "")
    #expect(
      problem(export(segment, .mp3(.standard), "acx"))
        == "does not conform to acx: bit rate mode variable (constant: write 'mp3: cbr 192k')")
    #expect(
      problem(export(segment, .wav(.int16), "apple-podcasts", at: "a.wav"))
        == "does not conform to apple-podcasts: codec pcm_s16le (mp3 or aac: write 'mp3: cbr 128k' or "
        + "'aac: 128k')")
    #expect(
      problem(export(segment, .mp3(MP3Settings(.cbr(bitRate: 128_000))), "librivox"))
        == "does not conform to librivox: tags none (title, artist, album: write them under "
        + "'metadata')")
    var loud = export(segment, .wav(.int16), "ebu-r128", at: "a.wav")
    loud.loudness = LoudnessTarget(.integrated(-16), truePeak: -1)
    #expect(
      problem(loud)
        == "does not conform to ebu-r128: loudness −16.0 LUFS (−23.2 to −22.8 LUFS: write 'loudness: "
        + "ebu-r128')")
    #expect(try failure(loud).remedy == .mendJob)
    #expect(!(try Tool.succeed("ls", stage.folder.root).text.contains("a.wav")))
  }

  @Test("the bit rate of an MP3 is constant where all its frames are alike")
  func constantBitRate() throws {
    let input = stage.folder.path("tone.wav")
    try Tool.succeed("sox", "-n", "-r", "44100", "-c", "1", input, "synth", "4", "pinknoise")
    for (options, isConstant) in [
      (["--cbr", "-b", "192"], true), (["--cbr", "-b", "192", "-t"], true),
      (["--abr", "192"], false), (["-V", "0"], false), (["-V", "0", "-t"], false),
    ] {
      let path = stage.folder.path(options.joined() + ".mp3")
      #expect(try Tool.run(["lame", "--quiet"] + options + [input, path]).status == 0)
      let asset = try stage.library.asset(at: FilePath(path))
      let isCBR = if case .cbr? = asset.mp3Settings?.rateControl { true } else { false }
      #expect(isCBR == isConstant, "\(options)")
    }
  }
}
