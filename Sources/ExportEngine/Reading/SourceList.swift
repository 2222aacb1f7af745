import Diagnosis
import ExportGraph
import MediaComposition
import SystemPackage

/// The files that an export takes in, media and pictures, each once, in the order of their first
/// use, and what each of them was when the export was prepared.
struct SourceList {
  private(set) var list: [Fingerprint.Source] = []
  /// Their places in `list`.
  private(set) var numbers: [MediaLocation: Int] = [:]
  /// Where the job first names each.
  private var origins: [Origin] = []

  /// Examines the disk for the pictures that a graph names, but opens nothing.
  ///
  /// - Throws: `Failure` where a picture is missing.
  /// - Complexity: O(graph)
  init(of graph: Graph) throws(Failure) {
    for node in graph.nodes {
      if let asset = node.asset { add(asset.location, asset.identity, at: node.origin) }
    }
    for sink in graph.sinks {
      for asset in sink.picture?.assets ?? [] {
        add(asset.location, asset.identity, at: sink.output.origin)
      }
      for picture in [sink.metadata.cover] + sink.chapters.map(\.image)
        + (sink.picture?.stills.map(\.picture) ?? [])
      {
        switch picture {
        case .picture(let location):
          add(location, try SourceFile.settle(location), at: sink.output.origin)
        case .embedded(let artwork):
          add(artwork.media, artwork.identity, at: sink.output.origin)
        case nil: break
        }
      }
    }
  }

  private mutating func add(_ location: MediaLocation, _ identity: FileIdentity, at origin: Origin)
  {
    guard numbers[location] == nil else { return }
    numbers[location] = list.count
    list.append(Fingerprint.Source(location: location, identity: identity))
    origins.append(origin)
  }

  /// Checks that all are what they were: what was read of them is then of one content.
  ///
  /// - Throws: As `SourceFile.requireUnchanged`.
  func requireUnchanged() throws(Failure) {
    for number in list.indices { try requireUnchanged(number) }
  }

  private func requireUnchanged(_ number: Int) throws(Failure) {
    do throws(Failure) {
      try SourceFile.requireUnchanged(list[number].location, list[number].identity)
    } catch {
      throw error.placed(at: origins[number])
    }
  }

  /// Why reading failed: a source that has changed, whatever its decoder made of that.
  func cause(of error: any Error) -> any Error {
    guard let location = (error as? Failure)?.location, let number = numbers[location] else {
      return error
    }
    do throws(Failure) {
      try requireUnchanged(number)
      return error
    } catch {
      return error
    }
  }
}
