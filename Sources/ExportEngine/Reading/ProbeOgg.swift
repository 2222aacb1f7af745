import Diagnosis
import LibAV
import MediaTime
import Tagging

/// Ogg, whose pages say more than libavformat tells of them.
extension Prober {
  /// Probes an Ogg file by one walk over its pages. A server's file is looked through only if its first
  /// and last page are of different links, or do not prove its length.
  func probeOgg(_ demuxer: Demuxer, stream index: Int?) throws(Failure) -> ProbedStream {
    guard location.url != nil, let sole = try OggLink.sole(in: bytes) else {
      return try probeAllPages(demuxer, stream: index)
    }
    var prober = self
    prober.ogg = sole
    return try prober.probe(demuxer, stream: index)
  }

  /// Probes an Ogg file by one walk over its pages; `demuxer` is one at the file's beginning, if there is
  /// one.
  func probeAllPages(
    _ demuxer: Demuxer? = nil, stream index: Int?
  ) throws(Failure) -> ProbedStream {
    let links = try OggWalk.links(in: bytes)
    guard links.count == 1 else { return try probeChain(links, stream: index) }
    let range = links[0].rest.isEmpty ? nil : links[0].range
    var prober = self
    (prober.ogg, prober.range) = (links[0], range)
    if range == nil, let demuxer { return try prober.probe(demuxer, stream: index) }
    let part = try reading(location) { () throws(LibAVError) in try location.demuxer(of: range) }
    return try prober.probe(part, stream: index)
  }

  /// The facts of a stream by its pages; nil of other files, and of pages that were not looked at.
  func oggStream(of opened: OpenedStream) throws(Failure) -> OggStream? {
    guard let ogg, let place = opened.first.dataStart else { return nil }
    let offset = place + (range?.lowerBound ?? 0)
    let head = try bytes.bytes(at: offset, count: OggPage.longestHead)
    return OggPage(head).flatMap { ogg.streams[$0.serial] }
  }

  /// The right granule positions of pages that have wrong ones.
  var oggPatches: [BytePatch] {
    let patches = ogg?.streams.values.compactMap { $0.count?.patches }.joined() ?? [].joined()
    return patches.sorted { $0.offset < $1.offset }
  }

  /// The length of Opus or Vorbis, where no page is missing, by granule positions that count its packets;
  /// by libavformat's timestamps, where the lengths of packets are not known, or a server's file was not
  /// looked through.
  func oggLength(
    of opened: OpenedStream, _ facts: StreamFacts, delay: Int64?
  ) throws(Failure) -> Length? {
    // A stream that was cut out of another begins anywhere. For other codecs' packets libavformat
    // finds wrong timestamps after a seek.
    guard (0...8192).contains(facts.origin), opened.isOpusInOgg || opened.isVorbisInOgg,
      try ghost(opened) == 0
    else { return nil }
    let pages = try oggStream(of: opened)
    guard pages?.lacksPages != true else { return nil }
    guard let count = pages?.count, !count.isUncertain else {
      return try scanOgg(opened.stream, facts).map {
        Length(
          frames: $0.end, delay: delay, padding: $0.padding > 0 ? $0.padding : nil,
          modes: $0.modes)
      }
    }
    guard count.isPatched, count.brokenFrame == nil else { return nil }
    // libavformat counts Opus from the first sample that sounds (`pre_skip`).
    let lead = opened.isOpusInOgg ? Int64(opened.stream.initialPadding) : 0
    let isPlaced =
      opened.isOpusInOgg
      ? facts.firstRaw + facts.clockStart == count.start - lead
      : facts.origin == max(0, count.start)
    let frames = count.end - lead - facts.clockStart - facts.origin
    guard isPlaced, frames > 0 else { return nil }
    return Length(
      frames: frames, delay: delay, padding: count.padding > 0 ? count.padding : nil,
      modes: count.modes)
  }

  /// What is wrong with a stream's pages, beside those that are missing between others.
  func oggWarnings(_ opened: OpenedStream) throws(Failure) -> [Warning] {
    guard let stream = try oggStream(of: opened) else {
      guard ogg?.isOverfull == true else { return [] }
      return [
        Warning(
          "has more than \(OggWalk.mostStreams) streams, and stream \(opened.stream.index) is one of those "
            + "whose pages are not looked at: where pages are missing, or have wrong granule positions, "
            + "is not known", location: location)
      ]
    }
    var texts: [String] = []
    let count = stream.count
    let rate = opened.first.sampleRate
    if stream.missingFirst > 0 {
      let pages = stream.missingFirst == 1 ? "page" : "\(stream.missingFirst) pages"
      let size = count.flatMap { $0.start > 0 ? $0.start : nil }
      let length = size.map { Time(frames: $0, rate: rate).inSeconds }
      let measure = length.map { ", \($0) by its granule positions" } ?? ""
      texts.append("lacks the first \(pages) of its sound\(measure); the rest is read")
    }
    guard let count else { return texts.map { Warning($0, location: location) } }
    // What the sound begins behind: the delay, or what the first page leaves out.
    let lead = opened.isOpusInOgg ? Int64(opened.stream.initialPadding) : max(0, -count.start)
    func place(_ frame: Int64) -> String {
      Time(frames: max(0, frame - lead), rate: rate).inSeconds
    }
    if count.unnumbered.count > 0 {
      let pages =
        count.unnumbered.count == 1
        ? "a page without a granule position at "
        : "\(count.unnumbered.count) pages without granule positions, the first at "
      texts.append(
        "has \(pages)\(place(count.unnumbered.frame)); its packets are counted in their place")
    }
    if let leap = count.leaps.first {
      let change = Time(frames: abs(leap.change), rate: rate).inSeconds
      let others = count.leaps.count > 1 ? ", and at \(count.leaps.count - 1) other places" : ""
      texts.append(
        "its granule positions \(leap.change > 0 ? "leap" : "go back") by \(change) at "
          + "\(place(leap.frame))\(others), where no page is missing: all of its sound is read as it "
          + "lies there")
    }
    if count.isOverfull {
      texts.append(
        "the file has more than \(OggCount.mostPatches) wrong granule positions: the last of them are "
          + "taken as they are")
    }
    if let frame = count.brokenFrame {
      texts.append(
        "has a packet without a length at about \(place(frame)) (RFC 6716, 3.2), behind which FFmpeg "
          + "reads nothing")
    }
    return texts.map { Warning($0, location: location) }
  }
}

extension OggLink {
  /// The only link of a server's file, by its first and its last page, which have one serial number
  /// (RFC 3533, 6), and pages between them; nil where these are of different streams, or of links that
  /// have the same.
  ///
  /// - Complexity: As `OggSample.countsUp`; 192 KiB are read, and 16 KiB at each further place
  static func sole(in medium: MediumBytes) throws(Failure) -> OggLink? {
    let size = try medium.size()
    let head = OggPage(try medium.bytes(at: 0, count: OggPage.longestHead))
    // A page has at most 65,307 bytes.
    let count = Int(min(size, 1 << 17))
    let tail = try medium.bytes(at: size - Int64(count), count: count)
    let last = tail.indices.reversed().lazy.compactMap { index in
      tail[index] == UInt8(ascii: "O") ? OggPage(tail[index...]).map { (index, $0) } : nil
    }.first
    guard let head, let (place, page) = last, page.serial == head.serial,
      try OggSample.countsUp(in: medium, to: tail)
    else { return nil }
    var link = OggLink(range: 0..<size, rest: size..<size)
    link.isSampled = true
    if place + page.size > tail.count {
      link.end = .missing
    } else if !page.isIntact(tail[place..<place + page.size]) {
      link.end = .damaged
    } else if !page.isLast {
      link.end = .missing
    }
    return link
  }
}
