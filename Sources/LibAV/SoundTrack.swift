internal import CFFmpeg

/// Another sound beside the one that a file is made of, whose packets are encoded one by one.
package final class SoundTrack: CompanionTrack {
  let language: String?
  private let encoder: Encoder
  private let labels: TrackLabels
  private let next: () throws(LibAVError) -> Packet?
  private(set) var ready: Packet?

  /// A track at its first packet.
  ///
  /// - Parameters:
  ///   - encoder: What makes its packets.
  ///   - language: An ISO 639 code, or nil.
  ///   - labels: The title, handler and roles of the track.
  ///   - next: Gives one packet after the other, timed in the sound's frames from the start of the file's
  ///     clock on, and nil at the end.
  /// - Throws: As `next`.
  package init(
    _ encoder: Encoder, language: String?, labels: TrackLabels,
    _ next: @escaping () throws(LibAVError) -> Packet?
  ) throws(LibAVError) {
    (self.encoder, self.language, self.labels) = (encoder, language, labels)
    self.next = next
    try advance()
  }

  var timeBase: AVRational { encoder.context.pointee.time_base }

  var soundStart: Int64? { 0 }

  func advance() throws(LibAVError) { ready = try next() }

  func describe(
    to own: UnsafeMutablePointer<AVStream>, in container: UnsafePointer<AVOutputFormat>
  ) throws(LibAVError) {
    try check(
      avcodec_parameters_from_context(own.pointee.codecpar, encoder.context),
      "avcodec_parameters_from_context")
    try labels.put(on: own, in: container)
  }
}
