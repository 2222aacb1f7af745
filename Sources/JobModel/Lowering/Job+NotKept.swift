import Diagnosis
import ExportGraph
import MediaComposition

/// Tags, covers and chapters of the files of a job's items that no output gets.
extension Job {
  /// Notes on tags, covers and chapters of the sources of a sequence or a mix, whose outputs start without
  /// them; tags about their sound are named, if there are no others. None where the job says itself what
  /// its outputs have, or where no output has a place for them.
  ///
  /// - Complexity: O(items + tags of sources)
  func notesOfNotKept(_ assets: [MediaReference: Asset]) -> [Diagnostic] {
    if case .clip = item.content { return [] }
    let (asksTags, asksChapters) = (!decidesTags && holdsTags, !decidesChapters && holdsChapters)
    guard asksTags || asksChapters else { return [] }
    var found: Set<Asset.Companion> = []
    var (tagged, all): (MediaLocation?, [MediaLocation]) = (nil, [])
    var ofSound: [String] = []
    let isPlaced = outputs.allSatisfy { $0.held?.places.contains(.broadcast) != false }
    var seen: Set<MediaReference> = []
    item.forEachClip { reference in
      guard seen.insert(reference).inserted, let asset = assets[reference] else { return }
      let own = asset.companions.filter { $0 == .chapters ? asksChapters : asksTags }
      let others = asksTags ? asset.soundTags(withBroadcast: isPlaced) : []
      guard !own.isEmpty || !others.isEmpty else { return }
      found.formUnion(own)
      ofSound += others.filter { !ofSound.contains($0) }
      all.append(asset.location)
      let stays = own.contains { $0 != .chapters } || others.contains(where: Asset.isPlace)
      if tagged == nil, stays { tagged = asset.location }
    }
    guard !all.isEmpty else { return [] }
    if found.contains(.tags) { ofSound = [] }
    var things = Array(ofSound.prefix(20))
    let more = ofSound.count - things.count
    if more > 0 { things.append("\(more) more tag\(more == 1 ? "" : "s")") }
    things += Asset.Companion.allCases.filter(found.contains).map(\.rawValue)
    let remedies = [
      tagged.map { "'metadata: { from: \"\($0)\" }'" },
      found.contains(.chapters) ? "'chapters: keep'" : nil,
    ]
    .compactMap(\.self)
    let help = remedies.isEmpty ? nil : "keep them by " + remedies.joined(separator: " and ")
    return [
      Diagnostic(
        .note, "\(things.listed("and")) of \(all.unique.shortened) left out", at: origin,
        help: help)
    ]
  }

  /// Whether it, or one of its outputs, has tags or a base of them.
  private var decidesTags: Bool {
    metadataBase != nil || outputBases?.isEmpty == false
      || ([metadata] + outputs.map(\.metadata)).contains {
        !$0.items.isEmpty || $0.cover != nil || $0.removesCover
      }
  }

  /// Whether anything in it has chapters, or keeps them.
  private var decidesChapters: Bool {
    var decides = false
    Item.forEach(of: [item]) { items, index in
      decides = decides || items[index].keepsChapters || items[index].hasOwnChapters
    }
    return decides
  }

  private var holdsTags: Bool {
    outputs.contains { $0.held?.heldTags?.isEmpty != true }
  }

  private var holdsChapters: Bool {
    outputs.contains { output in
      output.chapters.inFile && output.held?.holdsChapters != false
        || !output.chapters.sidecars.isEmpty
    }
  }
}

extension Output {
  /// What its file can hold; nil where its kind is that of its sources.
  fileprivate var held: OutputCapabilities? { kind.map(capabilities(as:)) }
}

extension Lowering {
  /// Whether it is missed that the file of a clip has no chapters: they are to be kept, by the clip itself or
  /// by a group in which it follows others, and nothing else gives it some.
  func lacksChapters(_ item: Item, at place: ItemPlace) -> Bool {
    (item.keepsChapters || sequences[place.sequence].sequence.items.count > 1)
      && !item.hasOwnChapters && keepsChapters(at: place)
  }

  /// A note on clips that are to keep chapters of their files, which have none: what comes before them
  /// goes on. Of a command without a job file, which keeps what there is, only where others have some.
  mutating func noteClipsWithoutChapters(beside lowered: LoweredItem?, isWritten: Bool) {
    guard let first = chapterless.first else { return }
    let names = chapterless.map(\.location).unique
    let hasSome = lowered.map { !$0.chapters.isEmpty || !$0.timeline.chapters.isEmpty } ?? false
    guard isWritten || hasSome else { return }
    note(
      "\(names.shortened) \(names.count == 1 ? "has" : "have") no chapters to keep",
      at: first.origin,
      help: "give \(names.count == 1 ? "it" : "each") one, as 'chapter: TITLE'"
        + (hasSome ? ": else the chapter before goes on" : ""))
  }
}

extension [MediaLocation] {
  /// The first three, and how many others there are.
  fileprivate var shortened: String {
    let names = prefix(3).map { "'\($0)'" }.joined(separator: ", ")
    return count > 3 ? "\(names) and \(count - 3) more" : names
  }
}
