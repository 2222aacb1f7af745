import Diagnosis
import ArgumentParser
import ExportEngine
import ExportGraph
import JobFile
import MediaComposition
import MediaTime
import SystemPackage
import Terminal

/// `avjob probe`
struct Probe: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract:
      "Say what media files hold: codec, rate, channels, exact length, tags, cover, chapters.",
    discussion: """
      The length is the one that decoding gives, whatever the header announces; where the two \
      differ, that is said.
      """)

  @Argument(help: ArgumentHelp("Media files.", valueName: "media"))
  var media: [String]

  @Option(help: "Which of the file's streams, counted from 0 as ffprobe does.")
  var stream: Int?

  @Flag(help: "Print JSON.")
  var json = false

  func run() throws {
    let door = Door()
    var found: [ProbedMedia] = []
    var diagnostics = Diagnostics()
    var status = ExitCode.success
    for path in media.map({ FilePath($0) }) {
      do throws(Failure) {
        let asset = try door.library.asset(at: path, streamIndex: stream)
        let warnings = door.library.warnings(for: path, streamIndex: stream)
        found.append(ProbedMedia(asset, warnings: warnings))
        for warning in warnings { diagnostics.append(Diagnostic(warning)) }
      } catch {
        diagnostics.append(Diagnostic(error))
        status = error.remedy == .mendJob ? Door.Status.wrongJob : Door.Status.jobFailed
      }
    }
    if json {
      StandardStream.output.write(try JSONText.of(found))
    } else {
      for medium in found { StandardStream.output.write(medium.text) }
    }
    door.report(diagnostics)
    if status != .success { throw status }
  }
}

/// What `probe` prints of one file.
struct ProbedMedia: Encodable {
  var path: String
  var stream: Int
  var container: String
  var codec: String
  var sampleRate: Int
  var channels: String
  /// Rate and channels, for the text.
  private let format: String
  var bitDepth: Int?
  var bitRate: Int?
  var frames: Int64
  var duration: String
  var announcedDuration: String?
  var encoderDelay: Int?
  var encoderPadding: Int?
  var tags: [String: String]
  var cover: Cover?
  var chapters: [Chapter]
  var warnings: [String]

  private enum CodingKeys: CodingKey {
    case path, stream, container, codec, sampleRate, channels, bitDepth, bitRate, frames, duration
    case announcedDuration, encoderDelay, encoderPadding, tags, cover, chapters, warnings
  }

  struct Cover: Encodable {
    var format: String
    var bytes: Int64
  }

  struct Chapter: Encodable {
    var start: String
    var title: String
    var url: String?
  }

  init(_ asset: Asset, warnings: [Warning]) {
    path = asset.path.string
    stream = asset.streamIndex
    container = asset.container
    codec = asset.codec
    sampleRate = asset.sampleRate
    channels = asset.channelLayout.name
    format =
      AudioFormat(sampleRate: asset.sampleRate, channelLayout: asset.channelLayout)
      .description
    bitDepth = asset.bitDepth
    bitRate = asset.bitRate
    frames = asset.frameCount
    duration = asset.duration.clockText(decimals: 3)
    announcedDuration = asset.announcedDuration?.clockText(decimals: 3)
    encoderDelay = asset.encoderDelay
    encoderPadding = asset.encoderPadding
    tags = Dictionary(
      asset.metadata.items.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
    if case .embedded(let artwork)? = asset.metadata.cover {
      cover = Cover(format: artwork.format.name, bytes: artwork.byteCount)
    }
    chapters = asset.chapters.map {
      Chapter(start: $0.start.clockText(decimals: 3), title: $0.title, url: $0.url)
    }
    self.warnings = warnings.map(\.message)
  }

  /// A few aligned lines.
  var text: String {
    var sound = "\(codec), \(format)"
    if let bitDepth { sound += ", \(bitDepth) bit" }
    if let bitRate { sound += ", \(bitRate / 1000) kbps" }
    var rows = [
      ("sound", sound), ("stream", "\(stream) of \(container)"),
      ("duration", "\(duration) (\(frames) samples)"),
    ]
    if let announcedDuration, announcedDuration != duration {
      rows.append(("announced", "\(announcedDuration), which is not what decoding gives"))
    }
    let gaps = [("delay", encoderDelay, "before"), ("padding", encoderPadding, "after")]
    for case (let name, let count?, let place) in gaps {
      rows.append((name, "\(count) samples \(place) the sound are left out"))
    }
    rows += tags.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    if let cover {
      rows.append(("cover", "\(cover.format), \(Figures.size(bytes: cover.bytes))"))
    }
    rows += chapters.map { ("chapter", "\($0.start)  \($0.title)") }
    let width = rows.map(\.0.count).max() ?? 0
    let lines = rows.map { key, value in
      "  " + key + String(repeating: " ", count: width - key.count + 2) + value
    }
    return ([path] + lines).map(\.printable).joined(separator: "\n") + "\n"
  }
}
