import Diagnosis
import MediaComposition
import SystemPackage

extension Job {
  /// Every medium and picture of the job, in no order; its lists of times are read with its file.
  /// O(items).
  package var readFiles: Set<FilePath> {
    var files: Set<FilePath> = []
    forEachMedium { path, _ in files.insert(path) }
    forEachPicture { path, _ in files.insert(path) }
    return files
  }

  /// Every medium of the job, with each place that names it. O(items).
  package var mediaPlaces: [Located<FilePath>] {
    var places: [Located<FilePath>] = []
    forEachMedium { path, origin in places.append(Located(path, at: origin)) }
    return places
  }

  /// Calls `body` with every medium of the job.
  package func forEachMedium(_ body: (FilePath, Origin) -> Void) {
    item.forEachClip { body($0.path, $0.origin) }
    item.forEachImpulse { body($0.path, $0.origin) }
    for reference in tagMedia { body(reference.path, reference.origin) }
  }

  /// Calls `body` with every picture of the job.
  package func forEachPicture(_ body: (FilePath, Origin) -> Void) {
    Item.forEach(of: [item]) { items, index in
      if let image = items[index].chapter?.image {
        body(image, items[index].chapter?.start.origin ?? .unknown)
      }
      for chapter in items[index].chapters {
        if let image = chapter.image { body(image, chapter.start.origin) }
      }
    }
    for tags in [metadata] + outputs.map(\.metadata) {
      if case .file(let cover)? = tags.cover { body(cover, .unknown) }
    }
  }
}
