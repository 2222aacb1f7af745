import ArgumentParser
import Diagnosis
import ExportEngine
import ExportGraph
import JSON
import MediaComposition
import MediaTime
import Reports
import RunExecution
import SystemPackage
import Terminal

/// `avjob probe`
struct Probe: MediaCommand {
  static let configuration = CommandConfiguration(
    commandName: "probe",
    abstract: "Print what media files hold: format, exact length, tags, cover, chapters.",
    discussion: """
      Prints the length of the decoded sound, and that of the header if it differs. With \
      --loudness, decodes all of it; docs/loudness.md defines the figures.
      """)

  @Argument(
    help: .value("media", "Read these media files."), completion: .file())
  var media: [String]

  @Option(help: .value("number", "Read this stream, counted from 0 as by ffprobe."))
  var stream: Int?

  @Flag(help: "Measure loudness, peaks, RMS and noise floor.")
  var loudness = false

  @Option(
    help: .value("name", "Check by this delivery specification, as 'acx'; may be repeated."),
    completion: .list(DeliverySpecification.checked.map(\.name)))
  var conform: [String] = []

  @OptionGroup var output: JSONOption
  @OptionGroup var network: NetworkOptions

  func validate() throws {
    if let refusal = conform.lazy.compactMap(DeliverySpecification.refusal).first {
      throw ValidationError("\(refusal.message); \(refusal.help)")
    }
  }

  func run() throws {
    let specifications = conform.compactMap(DeliverySpecification.named)
    // Measurements are kept only where jobs run: a look at a file leaves nothing beside it.
    let isMeasuring = loudness || !conform.isEmpty
    let analyses = isMeasuring ? KeptAnalyses.inCurrentFolder() : nil
    defer { analyses?.save() }
    let remedies = CommandRemedies()
    let context = CommandContext(
      remembering: analyses?.remembered, rephrasing: { remedies.rephrased($0) })
    var found: [ProbedMedia] = []
    var (warnings, errors) = ([] as [Diagnostic], [] as [Diagnostic])
    for word in media {
      do throws(Failure) {
        let location = try MediaLocation(parsing: word)
        let asset = try context.library.asset(at: location, streamIndex: stream)
        let odd = context.library.warnings(for: location, streamIndex: stream)
          .map { Diagnostic($0) }
        let streams = (try? context.library.streams(at: location)) ?? []
        found.append(ProbedMedia(asset: asset, streams: streams, messages: odd))
        warnings += odd
        guard isMeasuring else { continue }
        let levels = try measurement(of: asset, context)
        let sound = DeliveredSound(asset, levels: levels)
        if loudness { found[found.count - 1].loudness = levels }
        found[found.count - 1].conformances = specifications.map { $0.conformance(of: sound) }
      } catch {
        errors.append(remedies.rephrased(Diagnostic(error)))
      }
    }
    if output.json {
      output.print(
        version: Self.documentVersion,
        Self.members(
          media: found.map { $0.json(in: context.map) },
          messages: .messages(errors, in: context.map)))
    } else {
      for medium in found {
        let facts = conform.isEmpty || loudness ? medium.text : ""
        StandardStream.output.write(facts + medium.conformanceText)
      }
    }
    warnings += Self.mixedSets(found, specifications)
    context.report(Diagnostics(warnings + errors))
    var faults = errors.map(\.remedy)
    if found.contains(where: { !$0.conformances.allSatisfy(\.isMet) }) {
      faults.append(.mendInput)
    }
    if let status = ExitCode(worstOf: faults) { throw status }
  }
}

extension Probe {
  static let documentVersion: Int64 = 1

  /// The members of the document beside its head.
  static func members(media: [JSONValue], messages: JSONValue) -> JSONValue {
    ["media": .list(media), "messages": messages]
  }

  private func measurement(
    of asset: Asset, _ context: CommandContext
  ) throws(Failure) -> LoudnessMeasurement {
    let graph = Graph(of: asset)
    do {
      return try SoundAnalyst(library: context.library, budget: nil)
        .loudness(of: graph.nodes.count - 1, in: graph)
    } catch let failure as Failure {
      throw failure
    } catch {
      throw Failure(.reportBug, "\(error)", location: asset.location)
    }
  }
}

/// A media file that could be read.
struct ProbedMedia {
  let asset: Asset
  /// All of its file.
  let streams: [MediaStream]
  /// If it was asked for, and can be had.
  var loudness: LoudnessMeasurement?
  /// What is odd about it.
  let messages: [Diagnostic]
  /// What it was checked by.
  var conformances: [Conformance] = []

  /// The cover's format and bytes.
  private var cover: (format: String, bytes: Int64)? {
    guard case .embedded(let artwork)? = asset.metadata.cover else { return nil }
    return (artwork.format.name, artwork.byteCount)
  }

  func json(in map: SourceMap) -> JSONValue {
    .medium(
      asset.location,
      [
        "stream": asset.soundIndex.map { .count($0) },
        "container": .text(asset.container),
        "codec": .text(asset.codec), "profile": asset.profile.map { .text($0) },
        "sample_rate": .count(asset.sampleRate), "channels": .text(asset.channelLayout.name),
        "bit_depth": asset.bitDepth.map { .count($0) },
        "bit_rate": asset.bitRate.map { .count($0) },
        "frames": .integer(asset.frameCount), "duration": .time(asset.duration),
        "announced_duration": asset.announcedDuration.map { .time($0) },
        "encoder_delay": asset.encoderDelay.map { .count($0) },
        "encoder_padding": asset.encoderPadding.map { .count($0) },
        "loudness": loudness.map { $0.json(asDualMono: isMono ? $0.asDualMono : nil) },
        "conformance": conformances.json, "metadata": asset.metadata.json,
        "cover": cover.map { ["format": .text($0.format), "bytes": .integer($0.bytes)] },
        "chapters": .list(asset.chapters.map(\.json)),
        "streams": .list(streams.map { $0.json(asset.track($0.index)) }),
        "messages": .messages(messages, in: map),
      ])
  }

  private var isMono: Bool { asset.channelLayout.count == 1 }

  /// The figures of loudness, with one decimal.
  private var loudnessRows: [(String, String)] {
    guard let loudness else { return [] }
    func text(_ value: Double?, _ unit: String) -> String {
      value.map { "\(Figures.decibels($0)) \(unit)" } ?? "none"
    }
    var integrated = text(loudness.integrated, "LUFS")
    if isMono, let dual = loudness.asDualMono.integrated {
      integrated += " (\(text(dual, "LUFS")) as dual mono)"
    }
    return [
      ("loudness", integrated + ", range " + text(loudness.range, "LU")),
      (
        "loudest",
        "momentary \(text(loudness.maximumMomentary, "LUFS")), "
          + "short-term \(text(loudness.maximumShortTerm, "LUFS"))"
      ),
      (
        "peak",
        "true \(text(loudness.truePeak, "dBTP")), sample \(text(loudness.samplePeak, "dBFS"))"
      ),
      (
        "RMS",
        "\(text(loudness.rms, "dBFS")), noise floor \(text(loudness.noiseFloor, "dBFS"))"
      ),
    ]
  }

  /// A tag, with a row for each of its lines: the key stands before each, as a line of a tag alone might be
  /// a command to runners of CI systems.
  private static func rows(of tag: Metadata.Item) -> [(String, String)] {
    let lines = tag.value.split(whereSeparator: \.isNewline)
    return lines.isEmpty ? [(tag.key, "")] : lines.map { (tag.key, String($0)) }
  }

  /// A few aligned lines.
  var text: String {
    let format = AudioFormat(sampleRate: asset.sampleRate, channelLayout: asset.channelLayout)
    var sound = asset.codec + (asset.profile.map { " (\($0))" } ?? "") + ", \(format)"
    if let bitDepth = asset.bitDepth { sound += ", \(bitDepth) bit" }
    if let bitRate = asset.bitRate { sound += ", \(bitRate / 1000) kbps" }
    let duration = asset.duration.clockText(decimals: 3)
    var rows = [
      ("sound", asset.hasSound ? sound : "none"),
      (
        asset.hasSound ? "stream" : "container",
        asset.hasSound ? "\(asset.streamIndex) of \(asset.container)" : asset.container
      ),
      ("duration", "\(duration) (\(asset.frameCount) samples)"),
    ]
    rows += streams.filter { $0.index != asset.streamIndex }.map { stream in
      stream.picture.map { picture in
        ("picture", picture.text(of: stream, asset.track(stream.index)))
      } ?? ("beside", stream.text)
    }
    if let announced = asset.announcedDuration?.clockText(decimals: 3), announced != duration {
      rows.append(("announced", "\(announced), which is not what decoding gives"))
    }
    let gaps = [
      ("delay", asset.encoderDelay, "before"), ("padding", asset.encoderPadding, "after"),
    ]
    for case (let name, let count?, let place) in gaps {
      rows.append((name, "\(count) samples \(place) the sound are left out"))
    }
    rows += loudnessRows
    rows += asset.metadata.items.sorted { $0.key < $1.key }.flatMap(Self.rows(of:))
    if let cover { rows.append(("cover", "\(cover.format), \(Figures.size(bytes: cover.bytes))")) }
    rows += asset.chapters.map { ("chapter", "\($0.start.clockText(decimals: 3))  \($0.title)") }
    let width = rows.map(\.0.count).max() ?? 0
    let lines = rows.map { "  " + $0.padded(to: width + 2) + $1 }
    return (["\(asset.location)"] + lines).map(\.printable).joined(separator: "\n") + "\n"
  }
}

extension Asset {
  fileprivate func track(_ index: Int) -> AssetTrack? { tracks.first { $0.index == index } }
}

extension MediaStream {
  private var sound: AudioFormat? {
    guard let sampleRate, let channelLayout else { return nil }
    return AudioFormat(sampleRate: sampleRate, channelLayout: channelLayout)
  }

  fileprivate func json(_ track: AssetTrack?) -> JSONValue {
    .members([
      "stream": .count(index), "kind": .text(kind), "codec": .text(codec),
      "sample_rate": sampleRate.map { .count($0) },
      "channels": channelLayout.map { .text($0.name) }, "language": language.map { .text($0) },
      "title": title.map { .text($0) }, "picture": picture?.json(track),
    ])
  }

  /// One line, with what probes it if it is sound.
  fileprivate var text: String {
    let isSound = kind == "audio"
    let facts = [sound?.description, language, title.map { "'\($0)'" }].compactMap(\.self)
    let what = isSound ? codec : holdsChapters ? "titles of its chapters" : "\(kind) (\(codec))"
    return (["stream \(index)", what] + facts)
      .joined(separator: ", ") + (isSound ? ": '--stream \(index)'" : "")
  }
}
