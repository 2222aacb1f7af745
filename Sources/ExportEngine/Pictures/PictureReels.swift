import Diagnosis
import ExportGraph
import LibAV
import MediaComposition
import MediaTime
import Threads

/// The sources of a plan, of which few are open at once.
///
/// One thread at a time.
final class PictureReels {
  let assets: [Asset]
  let library: MediaLibrary
  let cancellation: CancellationFlag
  /// Counts what becomes of them.
  let tally: PictureTally
  /// Whether nothing of them is copied.
  private let areDecoded: Bool
  /// Open ones, the one that was used last at the end. What comes in over another range is read apart: both
  /// may be of one source.
  private var open: [(reel: PictureReel, isEntering: Bool)] = []

  init(
    _ assets: [Asset], of library: MediaLibrary, areDecoded: Bool,
    counting tally: PictureTally = PictureTally(), unless cancellation: CancellationFlag
  ) {
    (self.assets, self.library, self.cancellation) = (assets, library, cancellation)
    (self.areDecoded, self.tally) = (areDecoded, tally)
  }

  /// A join of thousands of files is not to hold them all open.
  private static let mostOpen = 4

  /// The picture of a source; `isEntering` for one that comes in over another.
  ///
  /// - Throws: With the source's failure as `cause`.
  func reel(_ index: Int, entering isEntering: Bool = false) throws(LibAVError) -> PictureReel {
    if let place = open.firstIndex(where: { ($0.reel.index, $0.isEntering) == (index, isEntering) })
    {
      let known = open.remove(at: place)
      open.append(known)
      return known.reel
    }
    let asset = assets[index]
    let reel: PictureReel
    do throws(Failure) {
      let demuxer = try library.openPictures(of: asset)
      try library.requireOneEdit(of: asset, demuxer)
      reel = try reading(asset.location) { () throws(LibAVError) in
        try PictureReel(
          index, demuxer, of: asset.pictureTrack, from: asset.start, isDecoded: areDecoded,
          by: library.pictureCodecs, unless: cancellation)
      }
    } catch {
      throw LibAVError.refusedPicture(error.message).blamed(on: error)
    }
    if open.count == Self.mostOpen { open.removeFirst() }
    open.append((reel, isEntering))
    return reel
  }

  /// Counts pictures that are copied of a source, one after the other.
  func count(copied pictures: [RewrittenPicture], of reel: PictureReel) {
    tally.copied += pictures.count
    for picture in pictures where picture.packet.isCutShort {
      tally.note(damaged: reel.time(of: picture.shown), of: assets[reel.index])
    }
  }

  /// Names the source of an error.
  func blame(_ error: LibAVError, on index: Int) -> LibAVError {
    if var failure = error.cause as? Failure, failure.remedy == .mendJob, failure.location == nil {
      failure.location = assets[index].location
      return .refusedPicture(error.operation).blamed(on: failure)
    }
    return error.blamed(on: error.inputFailure(assets[index].location))
  }
}

extension MediaLibrary {
  /// Opens a picture that is cut or joined, with other sounds beside it.
  func openPicture(
    of plan: PicturePlan, beside sink: Sink, _ format: AudioFormat,
    counting tally: PictureTally, unless cancellation: CancellationFlag
  ) throws(Failure) -> OpenedCompanions {
    let reels = PictureReels(
      plan.assets, of: self, areDecoded: plan.encoding != nil, counting: tally,
      unless: cancellation)
    do throws(LibAVError) {
      let delay = try reels.delay(of: plan)
      let sounds: OtherSounds
      do throws(Failure) {
        sounds = try OtherSounds(
          of: plan, like: sink, format, delayedBy: delay, from: self, unless: cancellation)
      } catch {
        throw LibAVError.refusedPicture(error.message).blamed(on: error)
      }
      let streams = try reels.companions(
        of: plan, sounds, atRate: format.sampleRate, delayedBy: delay)
      return OpenedCompanions(streams: streams, sounds: sounds)
    } catch {
      throw error.cause as? Failure ?? error.machineFailure
    }
  }
}

extension PictureReels {
  fileprivate func companions(
    of plan: PicturePlan, _ sounds: OtherSounds, atRate sampleRate: Int, delayedBy delay: Time
  ) throws(LibAVError) -> Companions {
    let ranges = self.ranges(of: plan, delayedBy: delay)
    if let settings = plan.encoding {
      return try encoded(
        ranges, settings, of: plan, sounds, atRate: sampleRate, delayedBy: delay)
    }
    let encodes = plan.mayEncode
    var (sets, depth, timescales): ([PictureSets], Int, [Int32]) = ([], 0, [])
    var look: PictureLook?
    for index in plan.assets.indices {
      let reel = try reel(index)
      do throws(LibAVError) {
        sets.append(try PictureSets(reel, encodes: encodes, beside: sets.first))
        look = try compared(reel, with: look, in: plan.container)
      } catch {
        throw blame(error, on: index)
      }
      depth = max(depth, reel.reorderDepth)
      timescales.append(reel.base.denominator)
    }
    try requirePossible(ranges, of: plan)
    guard let source = ranges.first?.source else { throw LibAVError.streamMissing }
    let first = try reel(source)
    let assembler = PictureAssembler(
      first, sets, depth: depth, encodes: encodes,
      timescale: Self.timescale(of: timescales, atLeast: plan.isEdited ? sampleRate : 0),
      until: plan.duration + delay, isStrict: plan.isStrict)
    var setting = try setting(of: plan, atRate: sampleRate, delayedBy: delay)
    setting.forms[first.stream.index] = first.form
    let description = PictureTrack.Description(
      like: first.stream, header: assembler.header, sampleEntry: assembler.sampleEntry,
      timeBase: TimeBase(numerator: 1, denominator: assembler.timescale))
    let (cutter, edits) = packets(
      ranges, assembler, of: plan, depth: depth, delayedBy: delay, atRate: sampleRate)
    let track = try PictureTrack(
      .stream(description), setting, edits: edits
    ) { () throws(LibAVError) in
      do throws(LibAVError) {
        return try cutter.next()
      } catch {
        throw self.blame(error, on: cutter.source)
      }
    }
    try addTimes(to: track, of: plan, from: cutter.first)
    let texts = try texts(of: plan, ranges, timescale: assembler.timescale, atRate: sampleRate)
    return .made(CompanionTracks(track, try sounds.tracks(), texts))
  }

  /// Refuses sources whose pictures cannot stand in one stream of a container. O(sources).
  func requireAlike(
    _ sources: Range<Int>, in container: MovieContainer
  ) throws(LibAVError) {
    var look: PictureLook?
    for index in sources {
      let reel = try reel(index)
      do throws(LibAVError) {
        look = try compared(reel, with: look, in: container)
      } catch {
        throw blame(error, on: index)
      }
    }
  }

  /// Compares a source's pictures with those of the first one; gives what all have in common.
  ///
  /// - Throws: Also where the container's muxer would show them otherwise.
  private func compared(
    _ reel: PictureReel, with first: PictureLook?, in container: MovieContainer
  ) throws(LibAVError) -> PictureLook {
    _ = try reel.requiredForm()
    let isTurned = reel.stream.rotation != 0 || reel.stream.isMirrored
    if isTurned, container.isMatroska, !Library.turnsPicturesInMatroska {
      throw LibAVError.refusedPicture(
        "has a picture that is turned by a matrix, which FFmpeg \(Library.version) does not write into "
          + "Matroska; write an '.mp4', or encode all of it, as '\(container.usualPicture)'")
    }
    let own = PictureLook(reel)
    if let first, let difference = own.difference(from: first) {
      throw LibAVError.refusedPicture(
        "has a picture that differs from that of '\(assets[0].location)' in \(difference): encode all of "
          + "it, as 'video: { h264: crf 20 }'")
    }
    return first ?? own
  }

  /// Says of a track how long its pictures last, and the timecode of the one that is shown first.
  private func addTimes(
    to track: PictureTrack, of plan: PicturePlan, from first: (source: Int, shown: Int64)?
  ) throws(LibAVError) {
    track.pictureDuration = plan.pictureDuration
    guard let first else { return }
    let reel = try reel(first.source)
    let offset = reel.time(of: first.shown) - reel.time(of: reel.start)
    track.timecode = plan.assets[first.source].pictureTrack?.timecode(after: offset)?.description
  }

  private func setting(
    of plan: PicturePlan, atRate sampleRate: Int, delayedBy delay: Time
  ) throws(LibAVError) -> CompanionSetting {
    let sound = plan.spans.first.map { plan.assets[$0.asset] }
    var setting = CompanionSetting(
      delay: delay.frames(atRate: sampleRate),
      language: sound?.tracks.first { $0.index == sound?.streamIndex }?.language)
    setting.keepsDolbyVision = plan.keepsDolbyVision
    if let first = plan.spans.first, let index = sound?.streamIndex,
      let stream = try reel(first.asset).stream.sibling(index), stream.isAudio
    {
      setting.labels = stream.labels
    }
    return setting
  }

  /// A picture that is encoded throughout.
  private func encoded(
    _ ranges: [PictureRange], _ settings: VideoSettings, of plan: PicturePlan,
    _ sounds: OtherSounds, atRate sampleRate: Int, delayedBy delay: Time
  ) throws(LibAVError) -> Companions {
    var timescales: [Int32] = []
    var projections: Set<[[UInt8]]> = []
    for index in plan.assets.indices {
      let reel = try reel(index)
      timescales.append(reel.base.denominator)
      projections.insert(reel.stream.projection)
    }
    guard let source = ranges.first?.source else { throw LibAVError.streamMissing }
    let timescale = Self.timescale(of: timescales)
    let frames = try frames(of: ranges, settings, comparing: plan.assets.indices)
    let renderer: PictureRenderer
    do throws(LibAVError) {
      let first = try reel(source)
      let encoder = try PictureRenderer.open(
        settings, frames.form, like: first.stream, coloursOf: frames.first?.frame,
        timescale: timescale)
      renderer = PictureRenderer(
        frames, encoder, hasConstantRate: settings.frameRate != nil, until: plan.duration + delay,
        counting: tally)
    } catch {
      throw blame(error, on: source)
    }
    let setting = try setting(of: plan, atRate: sampleRate, delayedBy: delay)
    let track = try PictureTrack(
      .encoder(renderer.encoder, renderer.timeBase), setting
    ) { () throws(LibAVError) in
      do throws(LibAVError) {
        return try renderer.next()
      } catch {
        throw self.blame(error, on: renderer.source)
      }
    }
    track.pictureDuration =
      settings.frameRate == nil ? plan.pictureDuration : renderer.encoder.timeBase
    if projections.count == 1 { track.projected = try reel(source).stream }
    let texts = try texts(of: plan, ranges, timescale: timescale, atRate: sampleRate)
    return .made(CompanionTracks(track, try sounds.tracks(), texts))
  }

  /// The pictures of ranges, to be encoded; `sources` are those of which it is known then that their pictures
  /// can be brought into one form, as far as the first one of each says.
  func frames(
    of ranges: [PictureRange], _ settings: VideoSettings, comparing sources: Range<Int>
  ) throws(LibAVError) -> RangeFrames {
    guard let source = ranges.first?.source else { throw LibAVError.streamMissing }
    do throws(LibAVError) {
      let frames = try RangeFrames(ranges, of: self, settings, try reel(source))
      if frames.first == nil { throw LibAVError.noPicture }
      try frames.requireFit(of: sources)
      return frames
    } catch {
      throw blame(error, on: source)
    }
  }

  /// How long after its picture the sound of an output begins: as long as that of its first source, where
  /// that is played from its start.
  fileprivate func delay(of plan: PicturePlan) throws(LibAVError) -> Time {
    guard let first = plan.spans.first, plan.isFromStart(0) else { return .zero }
    let reel = try reel(first.asset)
    return max(.zero, plan.assets[first.asset].start - reel.time(of: reel.start))
  }

  /// What is shown of a plan's sources, `delay` later than its sound has it.
  func ranges(of plan: PicturePlan, delayedBy delay: Time) -> [PictureRange] {
    plan.spans.indices.map { index in
      range(
        of: plan.spans[index], delayedBy: delay, isFromStart: plan.isFromStart(index),
        isToEnd: plan.isToEnd(index))
    }
  }

  private func range(
    of span: PictureSpan, delayedBy delay: Time, isFromStart: Bool = false, isToEnd: Bool = false,
    isEntering: Bool = false
  ) -> PictureRange {
    let start = assets[span.asset].start
    let place = { (time: Time) in span.source.map(time - start, to: span.target) + delay }
    return PictureRange(
      source: span.asset, from: isFromStart ? nil : start + span.source.start,
      to: isToEnd ? nil : start + span.source.end, place: place,
      fades: span.fades.map { $0.delayed(by: delay) },
      entering: span.entering.map { coming in
        EnteringRange(
          range: range(of: coming.span, delayedBy: delay, isEntering: true),
          start: coming.span.target.start + delay, fade: coming.fade.delayed(by: delay))
      }, isFaded: span.isFaded || isEntering)
  }

  /// Ticks a second in which all times of the sources are whole, and any other is as near as a sample.
  /// An edit list needs as many as the sound has, so that its ends fall on samples.
  private static func timescale(of timescales: [Int32], atLeast least: Int = 0) -> Int32 {
    var common: Int64 = 1
    for timescale in timescales.map({ Int64(max(1, $0)) }) {
      var (a, b) = (common, timescale)
      while b != 0 { (a, b) = (b, a % b) }
      let multiple = common / a * timescale
      guard multiple <= 10_000_000 else { return Int32(clamping: max(90_000, least)) }
      common = multiple
    }
    return Int32((max(48_000, Int64(least)) + common - 1) / common * common)
  }
}

extension PicturePlan {
  /// How long each picture of an output is shown that has those of its sources; nil: not equally long, or
  /// not known.
  fileprivate var pictureDuration: TimeBase? {
    guard let duration = assets.first?.pictureTrack?.frameDuration,
      assets.allSatisfy({ $0.pictureTrack?.frameDuration == duration }),
      spans.allSatisfy({ $0.source.duration == $0.target.duration }),
      let numerator = Int32(exactly: duration.value)
    else { return nil }
    return TimeBase(numerator: numerator, denominator: duration.timescale)
  }
}

/// What pictures must have in common to stand in one stream, which a container describes once.
private struct PictureLook {
  let form: PictureForm?
  let rotation: Int
  let pixels: (width: Int, height: Int)
  let colours: [Int?]
  let isMirrored: Bool
  let tools: PictureEncoder.Tools
  let matrices: [[UInt8]]
  let projection: [[UInt8]]

  init(_ reel: PictureReel) {
    (form, rotation, pixels) = (reel.form, reel.stream.rotation, reel.stream.pixelShape)
    (colours, isMirrored) = (reel.stream.colours, reel.stream.isMirrored)
    (tools, matrices) = (reel.coding.tools, reel.coding.ownMatrices)
    projection = reel.stream.projection
  }

  /// In what it differs, for people; nil: in nothing that is known.
  func difference(from other: PictureLook) -> String? {
    if let form, let others = other.form {
      guard (form.width, form.height) == (others.width, others.height) else {
        return "size (\(form.width)x\(form.height) and \(others.width)x\(others.height))"
      }
      if let own = form.pixelFormat, let format = others.pixelFormat, own != format {
        return "format (\(own) and \(format))"
      }
    }
    let apart = tools.symmetricDifference(other.tools)
    if apart.contains(.lossless) { return "that one of them is lossless" }
    if apart.contains(.partitions) { return "that the data of one of them are partitioned" }
    guard !apart.contains(.matrices), matrices == other.matrices else {
      return "its matrices of quantization"
    }
    guard isMirrored == other.isMirrored else { return "that one of them is mirrored" }
    guard rotation == other.rotation else {
      return "rotation (\(rotation)° and \(other.rotation)°)"
    }
    guard pixels.width * other.pixels.height == other.pixels.width * pixels.height else {
      return "the shape of its pixels (\(pixels.width):\(pixels.height) and "
        + "\(other.pixels.width):\(other.pixels.height))"
    }
    guard projection == other.projection else { return "its projection (360° or 3D)" }
    let names = ["range", "primaries", "transfer", "matrix"]
    for (index, name) in names.enumerated() {
      if let own = colours[index], let others = other.colours[index], own != others {
        return "its colours' \(name)"
      }
    }
    return nil
  }
}
