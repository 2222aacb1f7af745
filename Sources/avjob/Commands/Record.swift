import ArgumentParser
import Diagnosis
import Files
import Glibc
import JobFile
import JobModel
import LiveScreens
import MPEGAudio
import MediaComposition
import MediaTime
import Playback
import Reports
import SystemPackage
import Terminal

/// `avjob record`
struct Record: MediaCommand {
  static let configuration = CommandConfiguration(
    commandName: "record", abstract: "Record a sound device to a file that stays playable.",
    discussion: """
      The file grows at its place, and keeps its sound after a crash, a full disk or a pulled \
      cable. On a terminal, space pauses and continues, m sets a marker, and q stops; Ctrl-C and \
      SIGTERM stop as well, and finish the file.

      avjob record talk.wav
      avjob record talk.wav --format s24 --pre 5s
      avjob record meeting.flac --from-sound '-40 dB' --until-silence 10s
      avjob record --into episode.yaml --track voice --at 1:23
      avjob record radio.mp3 --mp3 V4 --duration 3h --split 1h
      avjob record talk.m4a --aac 192k
      """)

  @Argument(
    help: .value("file", "Write this file: .wav, .flac, .mp3, .m4a, .opus or .ogg."),
    completion: .file(extensions: ["wav", "flac", "mp3", "m4a", "opus", "ogg"]))
  var file: String?

  @Option(
    help: .value("name", "Record this sound device of ALSA."), completion: .devices(.capture))
  var device = "default"

  @Flag(help: "Hear what is recorded, with a short delay, through --playback.")
  var monitor = false

  @Option(
    help: .value("name", "Play to this sound device: --monitor, and the mix of --into."),
    completion: .devices(.playback))
  var playback: String?

  @Option(help: .value("rate", "Record at this rate, such as 44.1kHz; default: 48 kHz."))
  var rate: String?

  @Option(help: .value("channels", "Record mono, stereo or up to 8 channels; default: 2."))
  var channels: String?

  @Option(help: .value("samples", "Write WAV or FLAC samples as s16, s24 or f32."))
  var format: SampleFormat?

  @Option(
    help: .value("mp3", "Encode MP3: V0 … V9, 'abr 96k', 'cbr 128k', standard."),
    completion: .mp3Settings)
  var mp3: String?

  @Option(help: .value("rate", "Encode AAC in M4A at this bit rate: 128k."))
  var aac: String?

  @Option(help: .value("rate", "Encode Opus at this bit rate: 96k."))
  var opus: String?

  @Option(help: .value("time", "Stop after this much sound, to the sample."))
  var duration: String?

  @Option(
    help: .value("time", "Start this long before space is pressed; with --into: count-in."))
  var pre: String?

  @Option(
    parsing: .unconditional,
    help: .value("level", "Start 500 ms before sound of this level: '-40 dB'."))
  var fromSound: String?

  @Option(
    parsing: .unconditional,
    help: .value("time", "Stop after silence: 3s (below -50 dB), '-40 dB,3s'."))
  var untilSilence: String?

  @Option(help: .value("time", "Start a new file after this much: a-001.wav …."))
  var split: String?

  @OptionGroup(title: "A take to a mix") var take: TakeOptions

  @OptionGroup(title: "The job file of a take") var variables: VariableOptions

  @Flag(help: "Replace files that exist.")
  var force = false

  @Flag(help: "List the devices that can be recorded.")
  var listDevices = false

  enum SampleFormat: String, ExpressibleByArgument, CaseIterable {
    case s16, s24, f32

    var output: Output.SampleFormat {
      switch self {
      case .s16: .int16
      case .s24: .int24
      case .f32: .float32
      }
    }
  }

  var network: NetworkOptions { variables.network }
  var isConfined: Bool { variables.confinement.root != nil }

  func validate() throws {
    guard take.into == nil else { return try validateTake() }
    try refuseOptionsOfTake()
    guard playback == nil || monitor else {
      throw ValidationError("--playback is for --monitor and --into; give one of them")
    }
    guard let file else {
      guard !listDevices else { return }
      throw ValidationError("Missing expected argument '<file>'")
    }
    guard !file.endsWithScalars("/") else {
      throw ValidationError("'\(file)' ends in '/', as the path of a folder; name a file")
    }
    _ = try settings(for: FilePath(file))
  }

  func run() throws {
    if !listDevices, let into = take.into { return try recordTake(into: into) }
    guard !listDevices, let file else { return try DeviceList.print(.capture) }
    let path = FilePath(file)
    if !force, split == nil, path.exists {
      ReportedDiagnostics.refuse("'\(file)' exists already", help: "--force records over it")
      throw ExitCode.wrongJob
    }
    if pre != nil, fromSound == nil, isatty(STDIN_FILENO) != 1 {
      ReportedDiagnostics.refuse(
        "--pre awaits a key, and there is no keyboard",
        help: "run it on a terminal, or let --from-sound start the recording")
      throw ExitCode.wrongJob
    }
    let session = AudioSession.sharedInstance()
    try session.setCategory(.record)
    session.setEnvironment()
    // Before the first thread, which would get the signals otherwise.
    let signals = try Console.catchSignals()
    StandardStream.stopWaiting()
    let recording: Recording
    do throws(Failure) {
      let recorder = try Recorder(
        to: path, settings: try settings(path), device: device, monitor: try heard)
      recording = try Self.record(recorder) { () throws(Failure) in
        try RecordSession(recorder, device: device, signals: signals).run()
      }
    } catch {
      // Parts, whose names only the recorder has; not those that it has kept where a disk is full.
      let isThere = error.location?.file?.exists ?? false
      let isDevice = error.location == nil && error.remedy != .mendJob
      ReportedDiagnostics.refuse(
        error.description,
        help: isThere && error.location != .file(path) && error.remedy == .mendJob
          ? "--force records over it" : isDevice ? DeviceList.help(for: "record") : nil)
      throw ExitCode(error.remedy)
    }
    // Without a rate, it was stopped while the device was opened.
    guard recording.frameCount > 0 || recording.sampleRate == 0 else {
      ReportedDiagnostics.refuse("nothing was recorded", help: remedyForSilence)
      throw ExitCode.jobFailed
    }
  }

  /// How a recording that has not begun begins.
  private var remedyForSilence: String? {
    if let fromSound {
      return "no sound was as loud as \(fromSound); give --from-sound a lower level"
    }
    return pre.map { _ in "press space to begin the recording" }
  }

  /// Records, and removes the files of a recording without sound: they would be in the way of the
  /// next attempt.
  ///
  /// - Throws: The failure of `body`; the recorder is stopped then, since it may not have begun, or
  ///   still listen.
  static func record(
    _ recorder: Recorder, _ body: () throws(Failure) -> Recording
  ) throws(Failure) -> Recording {
    defer {
      recorder.stop()
      let recording = recorder.waitUntilFinished()
      if recording.frameCount == 0 {
        for file in recording.files { PathCalls.unlink(file.path) }
      }
    }
    return try body()
  }

  /// Refuses options about a job file where there is none.
  private func refuseOptionsOfTake() throws {
    for (name, isGiven) in [
      ("--set", !variables.assignments.isEmpty), ("--env", !variables.environment.isEmpty),
      ("--root", isConfined), ("--max-jobs", variables.confinement.maxJobs != nil),
      ("--offline", network.offline), ("--allow-host", !network.allowedHosts.isEmpty),
    ] where isGiven {
      throw ValidationError("\(name) is for the job file of a take; name it with --into")
    }
  }

  /// What lets the recording be heard.
  var heard: RecordingMonitor? {
    get throws(Failure) {
      guard monitor else { return nil }
      return try RecordingMonitor(opening: SoundDevice.monitorOpener(playback ?? "default"))
    }
  }

  /// The settings, which were found right before.
  private func settings(_ path: FilePath) throws(Failure) -> RecordingSettings {
    do {
      return try settings(for: path)
    } catch {
      throw Failure(.mendJob, "\(error)")
    }
  }
}

// MARK: - Words

extension Record {
  /// What the options say.
  func settings(for path: FilePath) throws -> RecordingSettings {
    var settings = RecordingSettings()
    settings.isReplacing = force
    settings.sampleFormat = format?.output
    settings.sampleRate = try rate.map { try option("--rate", $0, Self.rate) }
    settings.channelCount = try channels.map { try option("--channels", $0, Self.channelCount) }
    settings.duration = try duration.map { try option("--duration", $0, Self.time) }
    settings.split = try split.map { try option("--split", $0, Self.time) }
    settings.startLevel = try fromSound.map { try option("--from-sound", $0, Self.level) }
    settings.preRoll = try pre.map { try option("--pre", $0, Self.time) }
    // That of a take is its count-in.
    if take.into == nil, let preRoll = settings.preRoll, preRoll > RecordingSettings.longestPreRoll
    {
      throw ValidationError(
        "--pre: '\(pre ?? "")' is more than memory holds; write --pre "
          + "\(RecordingSettings.longestPreRoll.readableText) at most")
    }
    settings.silence = try untilSilence.map { try option("--until-silence", $0, Self.silence) }
    if let mp3 {
      try require(".mp3", of: .mp3, at: path, for: "--mp3")
      settings.format = .mp3(try option("--mp3", mp3) { try MP3Settings(parsing: $0) })
    }
    if let aac {
      try require(".m4a", of: .aac, at: path, for: "--aac")
      settings.format = .m4a(bitRate: try option("--aac", aac, Quantity.bitRate))
    }
    if let opus {
      try require(".opus", of: .opus, at: path, for: "--opus")
      settings.format = .opus(bitRate: try option("--opus", opus, Quantity.bitRate))
    }
    if settings.format != nil, format != nil {
      throw ValidationError("--format is for WAV and FLAC; leave it out")
    }
    return settings
  }

  /// Refuses the option of a format for a file of another one.
  private func require(
    _ ending: String, of kind: Output.Kind, at path: FilePath, for name: String
  ) throws {
    guard Output.Kind(extension: path.extension ?? "") == kind else {
      throw ValidationError("\(name) is for a file that ends in \(ending)")
    }
  }

  private func option<Value>(
    _ name: String, _ text: String, _ read: (String) throws -> Value
  ) throws -> Value {
    do {
      return try read(text)
    } catch let error as QuantityError {
      throw ValidationError("\(name): \(error.message)" + (error.help.map { "; \($0)" } ?? ""))
    } catch let error as TimeTextError {
      throw ValidationError("\(name): \(error.message)")
    } catch let error as MP3SettingsError {
      throw ValidationError("\(name): \(error.message)")
    } catch let error as ValidationError {
      throw ValidationError("\(name): \(error.message)")
    }
  }

  /// `44.1kHz`, and `44100`, as arecord and sox have it.
  private static func rate(_ text: String) throws -> Int {
    if let number = Int(text), number >= 1000 { return try Quantity.sampleRate("\(number) Hz") }
    return try Quantity.sampleRate(text)
  }

  private static func channelCount(_ text: String) throws -> Int {
    switch text.lowercased() {
    case "mono": return 1
    case "stereo": return 2
    default:
      guard let number = Int(text), 1...8 ~= number else {
        throw ValidationError("'\(text)' is not mono, stereo or a number up to 8")
      }
      return number
    }
  }

  private static func time(_ text: String) throws -> Time {
    let time = try Time(parsing: text)
    guard time > .zero else { throw ValidationError("'\(text)' is no length of sound: write 10s") }
    return time
  }

  /// A level below full scale, as a magnitude.
  private static func level(_ text: String) throws -> Float {
    let gain = try Gain(parsing: text)
    guard gain.factor > 0, gain.factor < 1 else {
      throw ValidationError("'\(text)' is no level below full scale: write '-40 dB'")
    }
    return Float(gain.factor)
  }

  /// `3s`, `-40 dB,3s`, `3s,-40 dB`.
  private static func silence(_ text: String) throws -> RecordingSettings.Silence {
    let parts = text.split(separator: ",", maxSplits: 1).map { $0.drop { $0 == " " } }.map(
      String.init)
    guard parts.count == 2 else {
      return .init(below: Float(Gain(decibels: -50).factor), for: try time(text))
    }
    let isLevelFirst = parts[0].lowercased().hasSuffix("db") || parts[0].hasSuffix("%")
    return .init(
      below: try level(parts[isLevelFirst ? 0 : 1]), for: try time(parts[isLevelFirst ? 1 : 0]))
  }
}
