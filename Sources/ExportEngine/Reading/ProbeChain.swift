import Diagnosis
import LibAV
import MediaComposition
import MediaTime
import Tagging

/// Chained Ogg files, whose links are files of their own: each has a delay to leave out, and an end.
extension Prober {
  /// The stream of a file that has several links.
  ///
  /// - Throws: Also where a link has another codec, rate or number of channels than the first.
  func probeChain(
    _ places: [OggLink], stream index: Int?
  ) throws(Failure) -> ProbedStream {
    guard places.count <= OggWalk.most else {
      throw Failure(
        .mendInput, "is chained of more than \(OggWalk.most) Ogg files; take it apart",
        location: location)
    }
    var whole: ProbedStream?
    var links: [ChainLink] = []
    var openLinks: [(link: Int, end: Int64)] = []
    var tags: [Metadata] = []
    for (number, place) in places.enumerated() {
      let start = links.reduce(0) { $0 + $1.frameCount }
      let stream: ProbedStream
      do throws(Failure) {
        stream = try link(number + 1, at: place, index, after: whole?.asset, at: start)
      } catch {
        // Headers without sound, as of a stream that broke off at once.
        guard number > 0, error.remedy == .mendInput, error.message == headerOnly.message else {
          throw error
        }
        whole?.warnings.append(
          Warning(
            "holds no sound from byte \(place.range.lowerBound) on, where a chained file begins",
            location: location))
        continue
      }
      links.append(
        ChainLink(facts: stream.facts, number: number + 1, frameCount: stream.asset.frameCount))
      if place.end == .open { openLinks.append((number + 1, start + stream.asset.frameCount)) }
      tags.append(stream.asset.metadata)
      append(stream, at: start, to: &whole)
    }
    guard var whole, let first = links.first else { throw headerOnly }
    whole.asset.frameCount = links.reduce(0) { $0 + $1.frameCount }
    whole.facts = first.facts
    whole.facts.range = nil
    whole.facts.reader = .chained(links)
    if let warning = settle(&whole.asset.metadata, of: tags) { whole.warnings.append(warning) }
    if let warning = warning(ofOpen: openLinks, rate: whole.asset.sampleRate) {
      whole.warnings.append(warning)
    }
    return whole
  }

  /// A warning of links that end without a last page, and at which frames; nil without any.
  private func warning(ofOpen links: [(link: Int, end: Int64)], rate: Int) -> Warning? {
    guard let first = links.first else { return nil }
    let place = Time(frames: first.end, rate: rate).inSeconds
    return Warning(
      (links.count == 1
        ? "link \(first.link) of its chain ends at \(place) without a last page: it was"
        : "\(links.count) links of its chain end without a last page, the first, link \(first.link), at "
          + "\(place): they were")
        + " cut short, or the stream changed there while it was recorded; what is there is read",
      location: location)
  }

  private func append(_ stream: ProbedStream, at start: Int64, to whole: inout ProbedStream?) {
    guard whole != nil else {
      whole = stream
      // What leads and follows the sound is another number in each link.
      whole?.asset.encoderDelay = nil
      whole?.asset.encoderPadding = nil
      whole?.asset.announcedDuration = nil
      whole?.asset.bitRate = nil
      whole?.asset.hasExactPackets = false
      whole?.asset.packetObstacle = .chain
      whole?.asset.hasWholePackets = false
      return
    }
    let offset = Time(frames: start, rate: stream.asset.sampleRate)
    whole?.asset.chapters += stream.asset.chapters.map { chapter in
      var moved = chapter
      moved.start = chapter.start + offset
      return moved
    }
    whole?.warnings += stream.warnings
    let known = whole?.asset.unread ?? []
    whole?.asset.unread += stream.asset.unread.filter { !known.contains($0) }
  }

  /// Makes the first link's tags those of the whole: without measurements that are not true of every
  /// link.
  private func settle(_ metadata: inout Metadata, of links: [Metadata]) -> Warning? {
    let partial = metadata.items.filter { item in
      [.level, .samples, .times].contains(TagClass(of: item.key))
        && !links.allSatisfy { $0.items.contains(item) }
    }
    for item in partial { metadata[item.key] = nil }
    let names = partial.map(\.key).joined(separator: ", ")
    if links.dropFirst().contains(where: { !$0.items.isEmpty && $0.items != links[0].items }) {
      return Warning(
        "is chained of several Ogg files with tags of their own: those of the first are read"
          + (names.isEmpty ? "" : ", without \(names), which is not true of the whole"),
        location: location)
    }
    return names.isEmpty
      ? nil
      : Warning(
        "is chained of several Ogg files: \(names) of the first left out, which is not true of the "
          + "whole", location: location)
  }

  /// One link, which must be like the first one.
  private func link(
    _ number: Int, at place: OggLink, _ index: Int?, after first: Asset?, at start: Int64
  ) throws(Failure) -> ProbedStream {
    var prober = self
    (prober.range, prober.ogg, prober.link) = (place.range, place, number)
    let demuxer = try reading(location) { () throws(LibAVError) in
      try location.demuxer(of: place.range)
    }
    try reading(location) { () throws(LibAVError) in try demuxer.completeParameters() }
    var chosen = index
    if let first {
      let streams = demuxer.streams
      let isThere =
        streams.indices.contains(first.streamIndex)
        && streams[first.streamIndex].codecName == first.codec
      chosen = isThere ? first.streamIndex : nil
      let stream = try prober.choose(chosen, in: demuxer)
      guard stream.codecName == first.codec else {
        let place = Time(frames: start, rate: first.sampleRate).inSeconds
        throw Failure(
          .mendInput,
          "changes to \(stream.codecName) at \(place); a file has one codec: take it apart there, or "
            + "encode it again", location: location)
      }
    }
    let found = try prober.probe(demuxer, stream: chosen)
    let format = (found.asset.sampleRate, found.asset.channelLayout.count)
    if let first, format != (first.sampleRate, first.channelLayout.count) {
      throw LibAVError.formatChanged(
        toRate: format.0, channels: format.1,
        at: Time(frames: start, rate: first.sampleRate).inSeconds
      ).inputFailure(location)
    }
    return found
  }
}
