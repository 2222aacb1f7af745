import Diagnosis
import ExportEngine
import MPEGAudio
import MediaComposition
import SystemPackage
import TestSupport
import Testing

/// The formats of AVFoundation's time: what is written is read by another program, and what
/// another program writes is read. iLBC, Monkey's Audio and RealMedia are read in `ReadingPorting`.
@Suite(.timeLimit(.minutes(5))) struct FormatsPorting {
  private let folder = TestFolder()

  /// A file to be written, and who reads it.
  struct Written: Sendable, CustomTestStringConvertible {
    var name: String
    var format: Output.Format
    var codec: String
    var rate = 44_100
    var isMono = false
    /// The program, and what writes its 16 bits to standard output; `FILE` is the path.
    var reader = Self.ffmpeg
    /// How many more frames the program may give: where the file cannot say its end, or it does not
    /// obey.
    var surplus = 0
    var testDescription: String { "\(name) of \(codec) at \(rate) Hz" }

    static let ffmpeg = ["ffmpeg", "-v", "error", "-i", "FILE", "-f", "s16le", "-"]
    static let sox = ["sox", "-D", "FILE", "-t", "raw", "-e", "signed", "-b", "16", "-"]
    static let flac = [
      "flac", "-dcs", "--force-raw-format", "--endian=little", "--sign=signed", "FILE",
    ]
    static let oggdec = ["oggdec", "-Q", "-R", "-o", "-", "FILE"]
    static let mpg123 = ["mpg123", "-q", "-e", "s16", "-s", "FILE"]

    static let all: [Written] =
      [8000, 11_025, 16_000, 22_050, 32_000, 44_100, 48_000, 96_000].map {
        Written(
          name: "a.wav", format: .wav(.int16), codec: "pcm_s16le", rate: $0, reader: sox)
      } + [
        Written(name: "a.wav", format: .wav(.uint8), codec: "pcm_u8", reader: sox),
        Written(name: "a.wav", format: .wav(.int24), codec: "pcm_s24le", reader: sox),
        Written(name: "a.wav", format: .wav(.float32), codec: "pcm_f32le", reader: sox),
        Written(name: "a.aif", format: .aiff(.int16), codec: "pcm_s16be", reader: sox),
        Written(name: "a.mp3", format: mp3(.vbr(quality: 2)), codec: "mp3", reader: mpg123),
        Written(
          name: "a.mp3", format: mp3(.abr(bitRate: 96_000)), codec: "mp3", reader: mpg123),
        Written(
          name: "a.mp3", format: mp3(.cbr(bitRate: 128_000)), codec: "mp3", reader: mpg123),
        Written(name: "a.m4a", format: .m4a(bitRate: 320_000), codec: "aac", surplus: 1023),
        Written(name: "a.m4a", format: .m4a(bitRate: 32_000), codec: "aac", surplus: 1023),
        Written(
          name: "a.opus", format: .opus(bitRate: 48_000), codec: "opus", rate: 48_000),
        Written(name: "a.aiff", format: .aiff(.int24), codec: "pcm_s24be", reader: sox),
        Written(name: "a.caf", format: .caf(.int16), codec: "pcm_s16le", reader: sox),
        // ffmpeg's command plays the priming and the last packet of CAF whole.
        Written(name: "a.caf", format: .alac(bitDepth: 16), codec: "alac", surplus: 4095),
        Written(
          name: "a.caf", format: .m4a(bitRate: 128_000), codec: "aac", surplus: 2047),
        Written(
          name: "a.aac", format: .m4a(bitRate: 128_000), codec: "aac", surplus: 2047),
        Written(
          name: "a.m4a", format: .m4a(bitRate: 128_000), codec: "aac", surplus: 1023),
        Written(name: "a.m4a", format: .alac(bitDepth: 24), codec: "alac"),
        Written(
          name: "a.caf", format: .caf(.ima4), codec: "adpcm_ima_qt", surplus: 63),
        Written(name: "a.wav", format: .wav(.muLaw), codec: "pcm_mulaw", reader: sox),
        Written(name: "a.wav", format: .wav(.aLaw), codec: "pcm_alaw", reader: sox),
        Written(name: "a.flac", format: .flac(bitDepth: 16), codec: "flac", reader: flac),
        Written(
          name: "a.ogg", format: .vorbis(.standard), codec: "vorbis", reader: oggdec),
        Written(
          name: "a.gsm", format: .raw(.gsm), codec: "gsm", rate: 8000, isMono: true,
          reader: sox, surplus: 159),
      ]

    private static func mp3(_ rate: MP3Settings.RateControl) -> Output.Format {
      .mp3(MP3Settings(rate))
    }
  }

  @discardableResult
  private func succeed(_ arguments: [String]) throws -> ToolResult {
    let result = try Tool.run(arguments)
    #expect(result.status == 0, "\(result.errors)")
    return result
  }

  /// A second of a sweep, and its frames.
  private func sweep(rate: Int, isMono: Bool) throws -> FilePath {
    let path = folder.path("src.wav")
    try Tool.succeed(
      "sox", "-R", "-n", "-r", "\(rate)", "-c", isMono ? "1" : "2", "-b", "16", path, "synth", "1",
      "sine", "300-3000", "gain", "-6")
    return FilePath(path)
  }

  @Test("is written, and read by another program", arguments: Written.all)
  func writes(_ file: Written) async throws {
    let library = MediaLibrary()
    let asset = try await library.loadAsset(at: try sweep(rate: file.rate, isMono: file.isMono))
    let path = folder.path(file.name)
    let export = Export(
      name: "a", composition: try Composition(asset),
      outputs: [Output(path: FilePath(path), format: file.format)])
    try await ExportSession(export, library: library).export()
    let facts = try Tool.succeed(
      "ffprobe", "-v", "error", "-show_entries", "stream=codec_name,sample_rate,channels", "-of",
      "csv=p=0", path)
    let channels = file.isMono ? 1 : 2
    #expect(facts.text == "\(file.codec),\(file.rate),\(channels)\n")
    let decoded = try succeed(file.reader.map { $0 == "FILE" ? path : $0 })
    let surplus = decoded.steps.count / channels - file.rate
    #expect((0...file.surplus).contains(surplus), "\(surplus)")
    // The power of a sine of half of full scale; libopus adds 2 dB to this one, and 1.5 adds 4.
    let power = decoded.steps.reduce(0.0) { $0 + Double($1) * Double($1) }
    let level = (power / Double(max(1, decoded.steps.count))).squareRoot()
    #expect((9000...18_500).contains(level), "\(level)")
    // Row 8: frames of a file.
    let written = try await MediaLibrary().loadAsset(at: FilePath(path))
    #expect(written.sampleRate == file.rate)
    let isOpen = file.codec == "gsm" || file.name.hasSuffix(".aac")
    #expect(isOpen || written.frameCount == Int64(file.rate))
  }

  /// A file that another program writes.
  struct Read: Sendable, CustomTestStringConvertible {
    var name: String
    var options: [String]
    var testDescription: String { "\(name) by \(options.joined(separator: " "))" }

    static let all = [
      Read(name: "a.aiff", options: ["-c:a", "pcm_s24be"]),
      Read(name: "a.caf", options: ["-c:a", "pcm_s16be"]),
      Read(name: "a.mp3", options: ["-c:a", "libmp3lame"]),
      Read(name: "a.aac", options: ["-c:a", "aac"]),
      Read(name: "a.wav", options: ["-c:a", "pcm_s16le"]),
      Read(name: "a.m4a", options: ["-c:a", "alac"]),
      Read(name: "a.aifc", options: ["-c:a", "adpcm_ima_qt", "-f", "aiff"]),
      Read(name: "a.caf", options: ["-c:a", "adpcm_ima_qt"]),
      Read(name: "a.au", options: ["-c:a", "pcm_mulaw"]),
      Read(name: "a.flac", options: ["-c:a", "flac"]),
      Read(name: "a.ogg", options: ["-c:a", "libvorbis"]),
      Read(name: "a.wma", options: ["-c:a", "wmav2", "-b:a", "160k"]),
      Read(name: "a.ac3", options: ["-c:a", "ac3"]),
      Read(name: "a.gsm", options: ["-c:a", "libgsm", "-ac", "1", "-ar", "8000"]),
      Read(name: "a.flv", options: ["-c:a", "aac"]),
    ]
  }

  /// The sound of a file as it is heard here, and by ffmpeg.
  private func sounds(of path: String) async throws -> (own: [Int16], other: [Int16]) {
    let library = MediaLibrary()
    let asset = try await library.loadAsset(at: FilePath(path))
    let output = folder.path("heard.wav")
    let export = Export(
      name: "a", composition: try Composition(asset),
      outputs: [Output(path: FilePath(output), format: .wav(.int16))])
    try await ExportSession(export, library: library).export()
    func samples(_ path: String) throws -> [Int16] {
      try succeed(Written.ffmpeg.map { $0 == "FILE" ? path : $0 }).steps
    }
    return (try samples(output), try samples(path))
  }

  @Test("another program's file is heard as FFmpeg's command hears it", arguments: Read.all)
  func reads(_ file: Read) async throws {
    let source = try sweep(rate: 44_100, isMono: false)
    let path = folder.path(file.name)
    try succeed(["ffmpeg", "-v", "error", "-i", source.string] + file.options + [path])
    let (own, other) = try await sounds(of: path)
    // Dither of what is not 16 bits; ffmpeg plays what edit lists and heads say is no sound.
    let count = min(own.count, other.count)
    #expect(count > 7000 && abs(own.count - other.count) <= 2 * 2112)
    let starts = (0...2112).filter { start in
      let window = start * 2..<start * 2 + 2000
      guard window.upperBound <= other.count, own.count >= 2000 else { return false }
      return zip(own.prefix(2000), other[window]).allSatisfy { abs(Int($0) - Int($1)) <= 2 }
    }
    #expect(!starts.isEmpty)
  }

  @Test("AMR is read, packet by packet (RFC 4867, section 5)")
  func readsAMR() async throws {
    var dice = Dice(20)
    var bytes = Array("#!AMR\n".utf8)
    // 12.2 kbps: 244 bits in 31 bytes behind a head.
    for _ in 0..<100 { bytes += [0x3C] + (0..<31).map { _ in UInt8(dice.number(0..<256)) } }
    let path = folder.path("a.amr")
    try writeFile(path, bytes)
    let (own, other) = try await sounds(of: path)
    #expect(own.count == 16_000 && own.count == other.count)
    #expect(zip(own, other).allSatisfy { abs(Int($0) - Int($1)) <= 2 })
  }

  @Test("AMR is written where FFmpeg encodes it, and else refused with its package")
  func writesAMR() async throws {
    let library = MediaLibrary()
    let asset = try await library.loadAsset(at: FilePath(Fixture.path("voice-8k.wav")))
    let path = folder.path("a.amr")
    let export = Export(
      name: "a", composition: try Composition(asset),
      outputs: [Output(path: FilePath(path), format: .amr(bitRate: 12_200))])
    do {
      try await ExportSession(export, library: library).export()
    } catch {
      #expect(error.remedy == .mendMachine && error.code == .libraryMissing)
      #expect(error.message.contains("AMR needs FFmpeg's libopencore_amrnb"))
      return
    }
    let decoded = try succeed(Written.ffmpeg.map { $0 == "FILE" ? path : $0 }).steps
    #expect((0..<160).contains(decoded.count - Int(asset.frameCount)))
  }

  @Test("iLBC is not written: no file of its name is")
  func refusesILBC() {
    let failure = #expect(throws: Failure.self) { try Output(path: "a.lbc") }
    #expect(failure?.code == .outputUnsupported && failure?.message.contains(".amr") == true)
  }
}
