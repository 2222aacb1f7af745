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
public final class PlayerItem: Sendable, Hashable {
  /// The name for screens.
  public let name: String
  /// The medium that the item is made of (`AVURLAsset.url`, `AVAudioPlayer.url`); nil for a composition
  /// or an export.
  public let location: MediaLocation?
  /// Of all items of the process: an address may be that of an earlier one.
  let number = PlayerItem.count.wrappingAdd(1, ordering: .relaxed).newValue
  private static let count = Atomic<Int>(0)
  /// The duration (`AVPlayerItem.duration`).
  public let duration: Time
  /// The chapters, in the item's own time, in order.
  public let chapters: [Chapter]
  /// What is said, in the item's own time, also where the export writes no words.
  package let transcript: Transcript
  /// The segments of all tracks, in the item's own time, in order.
  package let segments: [PlayerSegment]
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
  let lastFailure = Mutex<Failure?>(nil)
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
  package convenience init(
    _ session: ExportSession, output outputIndex: Int = 0
  ) throws(Failure) {
    try self.init(session, output: outputIndex, of: nil)
  }

  /// The sound of an export session, which is that of a medium if there is a location.
  init(
    _ session: ExportSession, output outputIndex: Int, of location: MediaLocation?
  ) throws(Failure) {
    self.location = location
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

  /// A medium as it is (`AVPlayerItem.init(url:)`). Blocks on the file or the server.
  ///
  /// - Parameters:
  ///   - location: A file or an address.
  ///   - library: Probes the medium and opens it.
  /// - Throws: As probing the medium.
  @available(*, noasync, message: "it blocks; 'await' the initializer of the same name")
  public convenience init(
    contentsOf location: MediaLocation, library: MediaLibrary = MediaLibrary()
  ) throws(Failure) {
    try self.init(probing: location, library)
  }

  /// A local file as it is, as `init(contentsOf:library:)` of its location.
  @available(*, noasync, message: "it blocks; 'await' the initializer of the same name")
  public convenience init(
    contentsOf path: FilePath, library: MediaLibrary = MediaLibrary()
  ) throws(Failure) {
    try self.init(probing: .file(path), library)
  }

  convenience init(probing location: MediaLocation, _ library: MediaLibrary) throws(Failure) {
    let export = try Self.export(ofMediaAt: location, library: library)
    try self.init(ExportSession(export, library: library), output: 0, of: location)
  }

  /// An export of a media file, to be cut before it becomes an item. Its output gives the format;
  /// nothing is written there.
  ///
  /// - Throws: As probing the file.
  package static func export(
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
