import Diagnosis
import MediaComposition
import SystemPackage

extension Job {
  /// Every medium and picture of the job, in no order; its lists of times are read with its file.
  /// O(items).
  package var readLocations: Set<MediaLocation> {
    var locations: Set<MediaLocation> = []
    forEachMedium { location, _ in locations.insert(location) }
    forEachPicture { location, _ in locations.insert(location) }
    return locations
  }

  /// Those of `readLocations` that are files of this machine.
  package var readFiles: Set<FilePath> { Set(readLocations.lazy.compactMap(\.file)) }

  /// Every media file of the job, with each place that names it. O(items).
  package var mediaPlaces: [Located<FilePath>] {
    var places: [Located<FilePath>] = []
    forEachMedium { location, origin in
      if let path = location.file { places.append(Located(path, at: origin)) }
    }
    return places
  }

  /// Calls `body` with every medium of the job.
  package func forEachMedium(_ body: (MediaLocation, Origin) -> Void) {
    item.forEachClip { body($0.location, $0.origin) }
    item.forEachImpulse { body($0.location, $0.origin) }
    for reference in tagMedia { body(reference.location, reference.origin) }
  }

  /// Calls `body` with every picture of the job.
  package func forEachPicture(_ body: (MediaLocation, Origin) -> Void) {
    Item.forEach(of: [item]) { items, index in
      if let image = items[index].chapter?.image {
        body(image, items[index].chapter?.start.origin ?? .unknown)
      }
      for chapter in items[index].chapters {
        if let image = chapter.image { body(image, chapter.start.origin) }
      }
    }
    for tags in [metadata] + outputs.map(\.metadata) {
      if case .picture(let cover)? = tags.cover { body(cover, .unknown) }
    }
    for output in outputs {
      guard case .encode(let settings)? = output.video else { continue }
      for case .picture(let still)? in [settings.image] + settings.slides.map(\.picture) {
        body(still, output.origin)
      }
    }
  }
}
