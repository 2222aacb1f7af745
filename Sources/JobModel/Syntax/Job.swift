import Diagnosis
import MPEGAudio
import MediaComposition
import MediaTime
import SystemPackage

/// An item and the files that it becomes.
///
/// A job comes from a `JobFile`, or is built by hand, as the one-shot commands do. It names media
/// but knows nothing of them: `media` says what to probe, `exports` makes compositions from the
/// facts.
public struct Job: Sendable, Hashable {
  /// Unique in its file.
  public var name: String
  /// What `needs` and `--only` may call it beside its name: the key under `jobs` that it and its
  /// siblings of one loop come from; the name itself where it has none.
  public var group: String
  /// What sounds. `at` and `crossfade` mean nothing on it.
  public var item: Item
  /// Where its timeline is parted; nil: it is written whole. In a split job the paths and tags of
  /// `outputs` and the values of `metadata` are templates: `${part.n}` stands for the part's number,
  /// and `$${` for the characters `${`.
  @Rare public var split: Split?
  /// Tags that are put over those of the only clip, if the job is one, or those that
  /// `metadataBase` names; an empty text takes one away.
  public var metadata: Metadata
  /// What tags and cover are based on; nil: the only clip, if the job is one.
  @Rare public var metadataBase: MetadataBase?
  /// Frames a second of the mix; nil: the highest among the sources.
  public var sampleRate: Int?
  /// Layout of the mix and of outputs without their own; nil: as the sources have it.
  public var channelLayout: ChannelLayout?
  /// Where these two were written.
  public var origins = Export.Origins()
  /// At least one.
  public var outputs: [Output]
  /// What tags and cover of an output are based on, under the job's own, by the output's index; as the
  /// job's where there is none.
  @Rare public var outputBases: [Int: MetadataBase]?
  /// Files that tell of the job, beside its outputs; templates in a split job, as those are.
  public var records: [ExportRecord]
  /// Names or groups of jobs of the same file that must be done before this one.
  public var needs: [Located<String>]
  /// How often a temporary failure may be followed by another attempt; nil: as the run says.
  public var retries: Int?
  /// How long an attempt may take; nil: as long as the run's estimate allows.
  @Rare public var timeout: Located<Time>?
  /// Where the job was written.
  public var origin: Origin
  /// The folder of the job file that the user named, as its path was spelled; empty for the current
  /// one, nil where there is no file.
  public var folder: FilePath?

  /// A job that renders `item` to `outputs`.
  public init(
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

  /// What has to be probed before `exports`: each stream once, in the order of writing.
  ///
  /// - Complexity: O(n) in the number of items
  public var media: [MediaReference] {
    let sounding = soundingMedia
    var seen = Set(sounding)
    return sounding + tagMedia.filter { seen.insert($0).inserted }
  }

  /// The media whose tags are taken by name: the job's, then those of its outputs.
  package var tagMedia: [MediaReference] {
    ([metadataBase] + outputs.indices.map { outputBases?[$0] }).compactMap { $0?.media }
  }

  /// What its items are made of, each stream once.
  package var soundingMedia: [MediaReference] {
    var references: [MediaReference] = []
    var seen: Set<MediaReference> = []
    var last: MediaReference?
    item.forEachClip { reference in
      // Clips of one file mostly follow one another, and to compare is cheaper than to hash.
      if reference != last, seen.insert(reference).inserted { references.append(reference) }
      last = reference
    }
    return references
  }
}

/// Where tags and cover come from that a job does not say itself.
public enum MetadataBase: Sendable, Hashable {
  /// From nowhere: there are none but those that it says.
  case nothing
  /// From a media file, which need not sound.
  case file(MediaReference)

  /// The file.
  package var media: MediaReference? {
    if case .file(let reference) = self { reference } else { nil }
  }
}

extension Item {
  /// Calls `body` with each clip of this item and of those below it, in the order of writing.
  package func forEachClip(_ body: (MediaReference) -> Void) {
    Self.forEach(of: [self]) { items, index in
      if case .clip(let reference) = items[index].content { body(reference) }
    }
  }

  /// Calls `body` with the place of each of `items` and of those below them, in the order of writing:
  /// what is wanted of one is taken there, for a copy of an item counts a dozen references.
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
