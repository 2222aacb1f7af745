import Diagnosis
import ExportEngine
import ExportGraph
import MediaComposition
import MediaTime
import Synchronization
import SystemPackage
import Transcripts

/// An item of a player: the sound of an export as one of its outputs will hold it (`AVPlayerItem`).
///
/// The export is compiled, and only files that had to be probed were opened. Immutable, but for
/// `preferredForwardBufferDuration`. Two items of the same export are two items.
public final class PlayerItem: Sendable {
  /// The name for screens.
  public let name: String
  /// Of all items of the process: an address may be that of an earlier one.
  let number = PlayerItem.count.wrappingAdd(1, ordering: .relaxed).newValue
  private static let count = Atomic<Int>(0)
  /// The duration (`AVPlayerItem.duration`).
  public let duration: Time
  /// The chapters, in the item's own time, in order.
  public let chapters: [Chapter]
  /// What is said, in the item's own time, also where the export writes no words.
  public let transcript: Transcript
  /// The segments of all tracks, in the item's own time, in order.
  public let segments: [PlayerSegment]
  /// The tracks of the composition, in order, for the listener to switch. Adjacent tracks of one
  /// origin are one track here: the compiler makes two of a track with cross-fades.
  public let tracks: [PlayerItemTrack]
  /// The index in `tracks` of each track of the composition.
  let trackIndices: [Int]
  /// The listener's changes of the tracks.
  let trackChanges: TrackChanges
  /// Whether the sound at a place depends on all before it: a node's memory is unbounded.
  let remembers: Bool
  let graph: Graph
  let sink: Sink
  /// Whether 16 bits need dither.
  let isDithered: Bool
  let library: MediaLibrary
  /// The parts whose sound comes from servers.
  let remoteSpans: [RemoteSpan]
  /// Their media.
  let remoteMedia: Set<MediaURL>
  let forwardBuffer = Mutex(Time.zero)
  let loadedParts = Mutex(LoadedParts())
  /// The media that `prefetch` has fetched something of.
  let prefetched = Mutex<Set<MediaURL>>([])

  /// An export as its output number `outputIndex` will sound, before it is encoded.
  ///
  /// `library` has probed the media and opens the files.
  ///
  /// - Throws: As `Graph.init(compiling:)`; `mendJob` if there is no such output.
  public convenience init(
    _ export: Export, output outputIndex: Int = 0, library: MediaLibrary
  ) throws(Failure) {
    try self.init(ExportSession(export, library: library), output: outputIndex)
  }

  /// The sound of an export session, with the session's graph.
  ///
  /// - Throws: As `Graph.init(compiling:)`; `mendJob` if there is no such output.
  public init(_ session: ExportSession, output outputIndex: Int = 0) throws(Failure) {
    let export = session.export
    graph = try session.graph()
    guard graph.sinks.indices.contains(outputIndex) else {
      throw Failure(
        .mendJob, "has no output number \(outputIndex + 1); it has \(graph.sinks.count)",
        origin: export.origin)
    }
    sink = graph.sinks[outputIndex]
    remembers = graph.nodes.contains { $0.memory == .unbounded }
    isDithered = graph.needsDither(sink.node, as: .wav(.int16))
    name = export.name
    duration = export.duration
    chapters = sink.chapters
    transcript =
      sink.output.transcript.isEmpty
      ? export.transcript(in: sink.frames, rate: graph.nodes[sink.node].format.sampleRate)
      : sink.transcript
    trackIndices = export.composition.writtenTracks.enumerated().flatMap { index, tracks in
      tracks.map { _ in index }
    }
    segments = PlayerSegment.all(of: export, trackIndices)
    remoteSpans = RemoteSpan.all(of: export)
    remoteMedia = Set(remoteSpans.map(\.url))
    let changes = TrackChanges()
    trackChanges = changes
    tracks = graph.heardTracks.enumerated().map { index, track in
      PlayerItemTrack(
        name: track.name ?? "track \(index + 1)", sounds: track.sounds, changes)
    }
    library = session.library
  }

  /// A composition without an export (`AVPlayerItem.init(asset:)`).
  ///
  /// - Throws: As `Graph.init(compiling:)`.
  public convenience init(
    _ composition: Composition, mix: AudioMix = .unity, name: String = "composition",
    library: MediaLibrary
  ) throws(Failure) {
    // An output gives the format; nothing is written there.
    let output = Output(path: FilePath("\(name).wav"), format: .wav(.float32))
    try self.init(
      Export(name: name, composition: composition, mix: mix, outputs: [output]), library: library)
  }

  /// A medium as it is (`AVPlayerItem.init(url:)`).
  ///
  /// - Throws: As probing the file.
  public convenience init(
    contentsOf location: MediaLocation, library: MediaLibrary
  ) throws(Failure) {
    try self.init(Self.export(ofMediaAt: location, library: library), library: library)
  }

  /// A local file as it is.
  public convenience init(contentsOf path: FilePath, library: MediaLibrary) throws(Failure) {
    try self.init(contentsOf: .file(path), library: library)
  }

  /// An export of a media file, to be cut before it becomes an item. Its output gives the format;
  /// nothing is written there.
  ///
  /// - Throws: As probing the file.
  public static func export(
    ofMediaAt location: MediaLocation, library: MediaLibrary
  ) throws(Failure) -> Export {
    let name = location.lastName ?? "\(location)"
    let asset = try library.asset(at: location)
    let segment = Segment(
      .asset(asset), source: TimeRange(start: .zero, duration: asset.duration), at: .zero,
      chapters: asset.chapters)
    return Export(
      name: name, composition: Composition(tracks: [Track(name: name, segments: [segment])]),
      outputs: [Output(path: FilePath("\(name).wav"), format: .wav(.float32))])
  }

  /// Frames a second of its sound.
  public var sampleRate: Int { graph.nodes[sink.node].format.sampleRate }

  /// The layout of its channels.
  public var channelLayout: ChannelLayout { graph.nodes[sink.node].format.channelLayout }

  var request: SinkRequest {
    SinkRequest(sampleRate: sampleRate, channelCount: channelLayout.count)
  }

  /// The listener's factor for a track: 1 or 0. O(tracks).
  func gain(ofTrack index: Int) -> Float {
    let isAlone = tracks.contains { $0.isSolo }
    return tracks[index].isEnabled && (!isAlone || tracks[index].isSolo) ? 1 : 0
  }
}

extension Composition {
  /// The tracks of sound as they were written: adjacent tracks of one origin are one, of which the compiler makes
  /// two where it cross-fades.
  package var writtenTracks: [[Track]] {
    tracks(withMediaType: .audio).reduce(into: []) { written, track in
      if track.origin != .unknown, written.last?.last?.origin == track.origin {
        written[written.count - 1].append(track)
      } else {
        written.append([track])
      }
    }
  }
}

/// A track of an item, for the listener to switch (`AVPlayerItemTrack`): no composition and no
/// export changes. Safe from any thread.
public final class PlayerItemTrack: Sendable {
  /// The name of the track.
  public let name: String
  /// Whether the track is enabled in the composition; otherwise it cannot be heard here.
  public let sounds: Bool
  private let enabled = Atomic<Bool>(true)
  private let solo = Atomic<Bool>(false)
  private let changes: TrackChanges

  init(name: String, sounds: Bool, _ changes: TrackChanges) {
    self.name = name
    self.sounds = sounds
    self.changes = changes
  }

  /// Whether the track is heard (`AVPlayerItemTrack.isEnabled`), or muted.
  public var isEnabled: Bool {
    get { enabled.load(ordering: .relaxed) }
    set { set(enabled, newValue) }
  }

  /// Whether only this track, and other solo tracks, are heard.
  public var isSolo: Bool {
    get { solo.load(ordering: .relaxed) }
    set { set(solo, newValue) }
  }

  private func set(_ setting: borrowing Atomic<Bool>, _ value: Bool) {
    if setting.exchange(value, ordering: .acquiringAndReleasing) != value { changes.note() }
  }
}

/// A segment of an item.
public struct PlayerSegment: Sendable, Hashable {
  /// The time in the item, cut to the part that is played.
  public var timeRange: TimeRange
  /// The name of the file, or of the track for a nested composition.
  public var name: String
  /// The index of its track.
  public var trackIndex: Int
  /// Where its item was written.
  package var origin = Origin.unknown

  /// The segments of the part of an export that is written, in order of time. O(n log n).
  /// `trackIndices` has the item's track for each of the composition's tracks of sound.
  static func all(of export: Export, _ trackIndices: [Int]) -> [PlayerSegment] {
    let range = export.timeRange ?? TimeRange(start: .zero, duration: export.composition.duration)
    var found: [PlayerSegment] = []
    // Adjacent clips are mostly of one file.
    var last: (location: MediaLocation, name: String)?
    func name(of location: MediaLocation) -> String {
      if let last, last.location == location { return last.name }
      let name = location.lastName ?? "\(location)"
      last = (location, name)
      return name
    }
    let tracks = export.composition.tracks(withMediaType: .audio)
    for (index, track) in zip(trackIndices, tracks) where track.isEnabled {
      for segment in track.segments where !segment.isEmpty {
        let start = max(segment.target.start, range.start)
        let end = min(segment.target.end, range.end)
        guard start < end else { continue }
        let name =
          if case .asset(let asset) = segment.content {
            name(of: asset.location)
          } else {
            track.name ?? "track \(index + 1)"
          }
        found.append(
          PlayerSegment(
            timeRange: TimeRange(start: start - range.start, end: end - range.start), name: name,
            trackIndex: index, origin: segment.origin))
      }
    }
    return found.sorted {
      ($0.timeRange.start, $0.trackIndex) < ($1.timeRange.start, $1.trackIndex)
    }
  }
}
