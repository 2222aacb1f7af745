import Diagnosis
import MPEGAudio
import MediaComposition
import MediaTime
import SystemPackage

/// An item and the files that it becomes.
///
/// A job comes from a `JobFile`, or is built by hand, as the one-shot commands do. It names media
/// without their facts: `media` lists what to probe, and `exports` makes compositions from the
/// facts.
package struct Job: Sendable, Hashable {
  /// Unique in its file.
  package var name: String
  /// Another name for `needs` and `--only`: the key under `jobs` that it shares with all jobs of
  /// one loop; its own name without a loop.
  package var group: String
  /// A number of the loop that it is of: of the name of its job file, and of the words for what the loop
  /// goes through; nil without a loop. Two runs of one loop have the same.
  package var loop: UInt64?
  /// The file of its loop, where a pattern found it; nil: the loop names it, or has none.
  @Rare package var found: FilePath?
  /// The sound. `at` and `crossfade` mean nothing here.
  package var item: Item
  /// Where its timeline is split; nil: nowhere. In a split job the paths and tags of `outputs` and
  /// the values of `metadata` are templates: `${part.n}` is the part's number, and `$${` the
  /// characters `${`.
  @Rare package var split: Split?
  /// Tags on top of those of the only clip, if the job is one, or of `metadataBase`; an empty text
  /// removes one.
  package var metadata: Metadata
  /// What radio automation reads in the tags of its files; never in a split job.
  @Rare package var automation: Automation?
  /// The base of tags and cover; nil: the only clip, if the job is one.
  @Rare package var metadataBase: MetadataBase?
  /// The level of outputs without their own; nil: as the sound comes.
  @Rare package var loudness: LoudnessTarget?
  /// Frames a second of the mix; nil: the highest among the sources.
  package var sampleRate: Int?
  /// Layout of the mix and of outputs without their own; nil: by the sources.
  package var channelLayout: ChannelLayout?
  /// Where these two are written.
  package var origins = Export.Origins()
  /// At least one.
  package var outputs: [Output]
  /// The base of an output's tags and cover, under the job's own, by the output's index; the job's
  /// where it has none.
  @Rare package var outputBases: [Int: MetadataBase]?
  /// Files about the job, beside its outputs; templates in a split job, like those.
  package var records: [ExportRecord]
  /// Lists of the files that it makes, which it may share with other jobs.
  @Rare package var manifests: [JobManifest]?
  /// Names or groups of jobs of the same file that must be done before this one.
  package var needs: [Located<String>]
  /// How often a temporary failure is retried; nil: as the run sets.
  package var retries: Int?
  /// The longest time of an attempt; nil: by the run's estimate.
  @Rare package var timeout: Located<Time>?
  /// The names of tracks and items that `when` leaves out, with its places: what refers to them is
  /// refused. nil: none.
  @Rare package var leftOut: [String: Origin]?
  /// The lists of times, transcripts and tables that it was read from, each once; nil: none.
  @Rare package var texts: [ReadText]?
  /// Where the job is written.
  package var origin: Origin
  /// The folder of the job file that the user named, as spelled; empty for the current one, nil
  /// without a file.
  package var folder: FilePath?

  /// A job that renders `item` to `outputs`.
  package init(
    name: String, group: String? = nil, item: Item, split: Split? = nil, outputs: [Output],
    records: [ExportRecord] = [], needs: [Located<String>] = [], retries: Int? = nil,
    timeout: Located<Time>? = nil,
    metadata: Metadata = Metadata(), metadataBase: MetadataBase? = nil,
    sampleRate: Int? = nil, channelLayout: ChannelLayout? = nil, origin: Origin = .unknown
  ) {
    self.name = name
    self.group = group ?? name
    self.item = item
    self.outputs = outputs
    self.records = records
    self.needs = needs
    self.retries = retries
    self.metadata = metadata
    self.sampleRate = sampleRate
    self.channelLayout = channelLayout
    self.origin = origin
    self.split = split
    self.timeout = timeout
    self.metadataBase = metadataBase
  }

  /// Whether a source that probing warns of is refused: what any output asks for.
  package var isStrict: Bool { outputs.contains(where: \.isStrict) }

  /// The media to probe before `exports`: each stream once, in the order of writing.
  ///
  /// - Complexity: O(n) in the number of items
  package var media: [MediaReference] { (soundingMedia + tagMedia).unique }

  /// The media whose tags are used by name: the job's, then those of its outputs.
  package var tagMedia: [MediaReference] {
    ([metadataBase] + outputs.indices.map { outputBases?[$0] }).compactMap { $0?.media }
  }

  /// The media of its items, each stream once: clips, then impulse responses.
  package var soundingMedia: [MediaReference] {
    var references: [MediaReference] = []
    var seen: Set<MediaReference> = []
    var last: MediaReference?
    item.forEachClip { reference in
      // Clips of one file mostly follow one another, and comparing is cheaper than hashing.
      if reference != last, seen.insert(reference).inserted { references.append(reference) }
      last = reference
    }
    item.forEachImpulse { if seen.insert($0).inserted { references.append($0) } }
    return references
  }
}

extension Job {
  /// The groups of sounds that are brought to a level together, in which it has part. O(items)
  package var loudnessGroups: Set<String> {
    var targets = [loudness] + outputs.map(\.loudness)
    Item.forEach(of: [item]) { targets.append($0[$1].loudness) }
    return Set(targets.compactMap { $0?.group })
  }
}

/// A text whose content is in a job.
package struct ReadText: Sendable, Hashable {
  /// Where it is.
  package var path: FilePath
  /// What it was when it was read.
  package var identity: FileIdentity

  /// The text at `path`, which was `identity` when it was read.
  package init(_ path: FilePath, _ identity: FileIdentity) {
    (self.path, self.identity) = (path, identity)
  }
}

/// The source of tags and cover that a job does not set itself.
package enum MetadataBase: Sendable, Hashable {
  /// None: only the job's own.
  case nothing
  /// A media file, which need not sound.
  case file(MediaReference)

  /// The file.
  package var media: MediaReference? {
    if case .file(let reference) = self { reference } else { nil }
  }
}

extension Job {
  /// Whether sound is analysed before its composition is known. O(items).
  package var listens: Bool {
    if case .silence = split?.points { return true }
    if item.chapterSearch != nil || automation?.listens == true { return true }
    if outputs.contains(where: { $0.silences?.sidecars.isEmpty == false }) { return true }
    var listens = false
    Item.forEach(of: [item]) { items, index in
      listens =
        listens || items[index].trim != nil || items[index].pauses != nil
        || items[index].hasWordEdges
    }
    return listens
  }

  /// Whether pictures are looked at before its composition is known. O(items).
  package var seeksKeyPictures: Bool {
    var seeks = false
    Item.forEach(of: [item]) { items, index in
      seeks = seeks || items[index].snap?.value == .keyframe
    }
    return seeks
  }
}

extension Item {
  /// Calls `body` with each clip of this item and of items below it, in the order of writing.
  package func forEachClip(_ body: (MediaReference) -> Void) {
    Self.forEach(of: [self]) { items, index in
      if case .clip(let reference) = items[index].content { body(reference) }
    }
  }

  /// Calls `body` with the place of each of `items` and of those below them, in the order of
  /// writing; with the place, as copying an item retains a dozen references.
  package static func forEach(of items: [Item], _ body: ([Item], Int) -> Void) {
    for index in items.indices {
      body(items, index)
      switch items[index].content {
      case .clip, .silence: break
      case .concat(let sequence): forEach(of: sequence.items, body)
      case .tracks(let tracks):
        for track in tracks { forEach(of: track.sequence.items, body) }
      }
      if !items[index].insertions.isEmpty { forEach(of: items[index].insertions, body) }
    }
  }
}
