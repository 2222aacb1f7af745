import Diagnosis
import ExportGraph
import MediaComposition

extension ExportSession {
  /// Refuses an output whose settings, tags or level cannot conform to what it is to be checked by.
  ///
  /// - Throws: `mendJob`, where the specification was written.
  func requireConformable(_ sink: Sink, in graph: Graph) throws(Failure) {
    guard let requests = sink.output.conform, !requests.isEmpty else { return }
    let sound = DeliveredSound(
      graph.predictedAsset(of: sink), levels: nil,
      target: sink.output.loudness ?? export.loudness)
    try sink.output.require(sink.output.conformances(of: sound), .mendJob)
  }

  /// Refuses encoded files that do not conform to what they are checked by: what settings decide was
  /// refused before, so that the sound is at fault.
  ///
  /// - Throws: `mendInput`, where the specification was written.
  func requireConformance(of rendering: Rendering) throws(Failure) {
    for (sink, output) in zip(rendering.graph.sinks, rendering.outputs) {
      try sink.output.require(output.conformances, .mendInput)
    }
  }
}

extension Output {
  /// A file checked by each specification of this output.
  func conformances(of sound: DeliveredSound) -> [Conformance] {
    (conform ?? []).compactMap { request in
      DeliverySpecification.named(request.name)?.conformance(of: sound)
    }
  }

  fileprivate func require(
    _ conformances: [Conformance], _ remedy: Failure.Remedy
  ) throws(Failure) {
    for (request, conformance) in zip(conform ?? [], conformances) {
      guard let refusal = conformance.refusal else { continue }
      throw Failure(remedy, refusal, path: path, origin: request.origin)
    }
  }
}
