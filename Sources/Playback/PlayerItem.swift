import Diagnosis
import ExportEngine
import ExportGraph
import MediaComposition
import MediaTime
import Synchronization
import SystemPackage

/// What a player plays: an export's sound, as one of its outputs will hold it (`AVPlayerItem`).
///
/// Compiled, and no file opened but those that had to be probed. Immutable; two items of the same
/// export are two items.
public final class PlayerItem: Sendable {
  /// What it is called on screens.
  public let name: String
  /// How long it is (`AVPlayerItem.duration`).
  public let duration: Time
  /// When which chapter begins, in the item's own time, in order.
  public let chapters: [Chapter]
  /// When what begins to sound, in the item's own time, in order: the segments of all tracks.
  public let segments: [PlayerSegment]
  /// The tracks of the composition, in its order, for the listener to switch off and on. Those side by
  /// side that come from one place are one: of a job's track that cross-fades, the compiler of jobs
  /// makes two.
  public let tracks: [PlayerItemTrack]
  /// To which of `tracks` each of the composition's belongs.
  let trackIndices: [Int]
  let graph: Graph
  let sink: Sink
  /// Whether 16 bits of it need dither.
  let isDithered: Bool
  let library: MediaLibrary

  /// An export to be heard as its output number `outputIndex` will sound, before that is encoded.
  ///
  /// `library` has probed what sounds, and is asked for the files.
  ///
  /// - Throws: As `Graph.init(compiling:)`; `mendJob` where there is no such output.
  public init(
    _ export: Export, output outputIndex: Int = 0, library: MediaLibrary
  ) throws(Failure) {
    graph = try Graph(compiling: export)
    guard graph.sinks.indices.contains(outputIndex) else {
      throw Failure(
        .mendJob, "has no output number \(outputIndex + 1); it has \(graph.sinks.count)",
        origin: export.origin)
    }
    sink = graph.sinks[outputIndex]
    isDithered = sink.output.format.storesInt16 ? sink.isDithered : graph.needsDither(sink.node)
    name = export.name
    duration = export.duration
    chapters = sink.chapters
    trackIndices = Self.trackIndices(of: export.composition)
    segments = PlayerSegment.all(of: export, trackIndices)
    var tracks: [PlayerItemTrack] = []
    for (index, lane) in zip(trackIndices, export.composition.tracks) {
      let before = index < tracks.count ? tracks.removeLast() : nil
      tracks.append(
        PlayerItemTrack(
          name: lane.name ?? "track \(index + 1)",
          sounds: lane.isEnabled || before?.sounds == true))
    }
    self.tracks = tracks
    self.library = library
  }

  /// A composition that nobody has to export (`AVPlayerItem.init(asset:)`).
  ///
  /// - Throws: As `Graph.init(compiling:)`.
  public convenience init(
    _ composition: Composition, mix: AudioMix = .unity, name: String = "composition",
    library: MediaLibrary
  ) throws(Failure) {
    // It names what the sound is rendered for; nothing is written there.
    let output = Output(path: FilePath("\(name).wav"), format: .wav(.float32))
    try self.init(
      Export(name: name, composition: composition, mix: mix, outputs: [output]), library: library)
  }

  /// A media file as it is (`AVPlayerItem.init(url:)`).
  ///
  /// - Throws: What probing the file says.
  public convenience init(contentsOf path: FilePath, library: MediaLibrary) throws(Failure) {
    try self.init(Self.export(ofMediaAt: path, library: library), library: library)
  }

  /// A media file as it is, as an export that may be cut before it becomes an item. Its output says what
  /// it is rendered for; nothing is written there.
  ///
  /// - Throws: What probing the file says.
  public static func export(
    ofMediaAt path: FilePath, library: MediaLibrary
  ) throws(Failure) -> Export {
    let name = path.lastComponent?.string ?? path.string
    let asset = try library.asset(at: path)
    let segment = Segment(
      .asset(asset), source: TimeRange(start: .zero, duration: asset.duration), at: .zero,
      chapters: asset.chapters)
    return Export(
      name: name, composition: Composition(tracks: [Track(name: name, segments: [segment])]),
      outputs: [Output(path: FilePath("\(name).wav"), format: .wav(.float32))])
  }

  private static func trackIndices(of composition: Composition) -> [Int] {
    var indices: [Int] = []
    var last: Track?
    for track in composition.tracks {
      let isOfLast = track.origin != .unknown && track.origin == last?.origin
      indices.append((indices.last ?? -1) + (isOfLast ? 0 : 1))
      last = track
    }
    return indices
  }

  /// Frames a second of its sound.
  public var sampleRate: Int { graph.nodes[sink.node].format.sampleRate }

  /// Where its channels are to be heard.
  public var channelLayout: ChannelLayout { graph.nodes[sink.node].format.channelLayout }

  /// What is asked of a device for it.
  var request: SinkRequest {
    SinkRequest(sampleRate: sampleRate, channelCount: channelLayout.count)
  }

  /// What a track's sound is multiplied with, as the listener has set it: 1 or 0. O(tracks).
  func gain(ofTrack index: Int) -> Float {
    let isAlone = tracks.contains { $0.isSolo }
    return tracks[index].isEnabled && (!isAlone || tracks[index].isSolo) ? 1 : 0
  }
}

/// A track of an item as its listener hears it (`AVPlayerItemTrack`). What is switched here changes no
/// composition and no export. Safe from any thread.
public final class PlayerItemTrack: Sendable {
  /// What it is called.
  public let name: String
  /// Whether it sounds in the composition; what is disabled there cannot be heard here.
  public let sounds: Bool
  private let enabled = Atomic<Bool>(true)
  private let solo = Atomic<Bool>(false)

  init(name: String, sounds: Bool) {
    self.name = name
    self.sounds = sounds
  }

  /// Whether it is heard (`AVPlayerItemTrack.isEnabled`); muted if not.
  public var isEnabled: Bool {
    get { enabled.load(ordering: .relaxed) }
    set { enabled.store(newValue, ordering: .relaxed) }
  }

  /// Whether it is heard, and those that are not solo are not.
  public var isSolo: Bool {
    get { solo.load(ordering: .relaxed) }
    set { solo.store(newValue, ordering: .relaxed) }
  }
}

/// Something that sounds in an item.
public struct PlayerSegment: Sendable, Hashable {
  /// When, in the item's own time; cut to the part that is played.
  public var timeRange: TimeRange
  /// The file's name, or the track's where it is a composition.
  public var name: String
  /// Which track.
  public var trackIndex: Int

  /// Those of an export that sound in the part that is written, in order of time. O(n log n).
  /// `trackIndices` says which track those of each of the composition's belong to.
  static func all(of export: Export, _ trackIndices: [Int]) -> [PlayerSegment] {
    let range = export.timeRange ?? TimeRange(start: .zero, duration: export.composition.duration)
    var found: [PlayerSegment] = []
    // Clips of one file mostly follow one another.
    var last: (path: FilePath, name: String)?
    func name(of path: FilePath) -> String {
      if let last, last.path == path { return last.name }
      let name = path.lastComponent?.string ?? path.string
      last = (path, name)
      return name
    }
    for (index, track) in zip(trackIndices, export.composition.tracks) where track.isEnabled {
      for segment in track.segments where !segment.isEmpty {
        let start = max(segment.target.start, range.start)
        let end = min(segment.target.end, range.end)
        guard start < end else { continue }
        let name =
          if case .asset(let asset) = segment.content {
            name(of: asset.path)
          } else {
            track.name ?? "track \(index + 1)"
          }
        found.append(
          PlayerSegment(
            timeRange: TimeRange(start: start - range.start, end: end - range.start), name: name,
            trackIndex: index))
      }
    }
    return found.sorted {
      ($0.timeRange.start, $0.trackIndex) < ($1.timeRange.start, $1.trackIndex)
    }
  }
}
