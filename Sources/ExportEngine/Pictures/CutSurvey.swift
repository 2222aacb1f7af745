import Diagnosis
import ExportGraph
import LibAV
import MediaComposition
import MediaTime
import Threads
import VideoBitstream

/// Finds what `PictureCutter` copies and encodes of ranges, by the same steps: nothing is decoded, and of
/// a long range only the packets near its two ends are read. `EditedPictureCopy` copies all.
///
/// One thread at a time.
struct CutSurvey {
  private let reels: PictureReels
  /// Whether nothing may be encoded, and whether nothing is.
  private let (isStrict, isEdited): (Bool, Bool)
  /// Whether no picture was found yet.
  private(set) var isEmpty = true

  /// A survey of a plan's ranges in their order.
  init(_ reels: PictureReels, of plan: PicturePlan) {
    (self.reels, isStrict, isEdited) = (reels, plan.isStrict, plan.isEdited)
  }

  /// Pictures of a range that are all copied or all encoded.
  struct Stretch {
    /// When the first one of them is shown, in ticks of the source.
    var first: Int64
    var isCopied: Bool
    /// nil: not all of them were seen.
    var count: Int?
    /// Whether a fade changes some of them.
    var isChanged = false
  }

  /// What is next.
  private enum Work {
    case enter(Int64?)
    case encode(PictureFeed, Stretch)
    case copy(PictureCopy, Stretch)
  }

  /// What is done to a range that follows those before it; `end` is where its source ends.
  mutating func stretches(
    of range: PictureRange, until end: Time
  ) throws(LibAVError) -> (passage: PicturePassage, stretches: [Stretch]) {
    var passage = PicturePassage(range, of: try reels.reel(range.source))
    guard !isEdited else {
      let entrance = try passage.enterForEdit(isFirst: isEmpty)
      isEmpty = isEmpty && entrance == nil
      return (passage, entrance.map { [Stretch(first: $0.first, isCopied: true)] } ?? [])
    }
    var found: [Stretch] = []
    var work: Work? = .enter(nil)
    while let next = work {
      isEmpty = isEmpty && found.isEmpty
      switch next {
      case .enter(let tick): work = try enter(&passage, at: tick)
      case .encode(var feed, var stretch):
        try count(&feed, of: passage, in: &stretch)
        found.add(stretch)
        work = try feed.entry.map { entry throws(LibAVError) in
          try copy(feed.window, from: entry, of: passage, after: feed.observer)
        }
      case .copy(var copy, var stretch):
        let last = try follow(&copy, of: &passage, until: end, in: &stretch)
        found.add(stretch)
        work = last.map { .enter($0) }
      }
    }
    isEmpty = isEmpty && found.isEmpty
    return (passage, found)
  }

  private func enter(
    _ passage: inout PicturePassage, at tick: Int64?
  ) throws(LibAVError) -> Work? {
    guard let entrance = try passage.enter(at: tick, encodes: !isStrict) else { return nil }
    if entrance.isCopied, let picture = entrance.window.pictures.first {
      return try copy(
        entrance.window, from: picture, of: passage, isWhole: entrance.isFromStart && isEmpty)
    }
    guard !isStrict else { throw passage.strictRefusal(entrance, isCut: tick == nil) }
    _ = try passage.reel.decoder(isFaded: passage.range.isFaded)
    try passage.reel.requireEncoding(isFaded: passage.range.isFaded)
    let feed = PictureFeed(
      passage, entrance.window, from: entrance.first,
      to: { [passage] in passage.isEntry($0, until: $1, behind: entrance.first) },
      GroupObserver(passage.reel.coding, idrPictureID: 0))
    return .encode(feed, Stretch(first: entrance.first, isCopied: false, count: 0))
  }

  private func copy(
    _ window: PictureWindow, from entry: CodedPicture, of passage: PicturePassage,
    isWhole: Bool = false, after observer: GroupObserver? = nil
  ) throws(LibAVError) -> Work {
    do throws(BitstreamRefusal) {
      let rewriter = try RunRewriter(
        passage.reel.coding, from: isWhole ? .entry : entry.kind, after: observer, idrPictureID: 0)
      return .copy(
        PictureCopy(window, from: isWhole ? nil : entry.shown, rewriter),
        Stretch(first: entry.shown, isCopied: true, count: 0))
    } catch {
      throw LibAVError(refusing: error)
    }
  }

  // MARK: - Encoded pictures

  /// Counts the pictures that a decoder would be asked for.
  private func count(
    _ feed: inout PictureFeed, of passage: PicturePassage, in stretch: inout Stretch
  ) throws(LibAVError) {
    // Behind so many pictures beyond the end none of the range follows.
    var beyond = 0
    while beyond <= PictureOrder.most, let picture = try feed.next() {
      let isBeyond = passage.to.map { !$0.isBehind(picture.shown) } ?? false
      beyond = isBeyond ? beyond + 1 : 0
    }
    (stretch.count, stretch.isChanged) = (feed.expected.count, feed.isChanged)
  }

  // MARK: - Copied pictures

  /// Seconds that are read before a range's end: those of a usual group of pictures and more.
  private static let secondsBeforeEnd: Int64 = 15
  /// Pictures of open groups that are rewritten, before it is taken that all others can be.
  private static let mostRewritten = 1024

  /// Follows what is copied to its end; gives the picture with which the range is entered anew behind it.
  private func follow(
    _ copy: inout PictureCopy, of passage: inout PicturePassage, until end: Time,
    in stretch: inout Stretch
  ) throws(LibAVError) -> Int64? {
    var count = 0
    var hasJumped = false
    defer { stretch.count = hasJumped ? nil : count }
    var hasTried = false
    while !reels.cancellation.isCancelled {
      switch try copy.next(of: &passage) {
      case .copied(let pictures): count += pictures.count
      case .entered(let tick): return tick
      case .ended: return nil
      }
      guard !hasTried, copy.rewriter.isDone || count >= Self.mostRewritten else { continue }
      hasTried = true
      // Fades may begin anywhere in a range.
      guard !passage.range.isFaded else { continue }
      if try jump(&copy.window, of: passage.reel, near: passage.range.to ?? end) {
        hasJumped = true
        copy.rewriter = .none
      }
    }
    return nil
  }

  /// Lets a window go on with an entry near a moment, where that lies far behind: all that is decoded
  /// before an entry is shown before what follows it, so that nothing is missed. Says whether it does.
  private func jump(
    _ window: inout PictureWindow, of reel: PictureReel, near end: Time
  ) throws(LibAVError) -> Bool {
    guard let current = window.pictures.first else { return false }
    let target = reel.tick(atOrBefore: end)
    let step = reel.ticks(seconds: Self.secondsBeforeEnd)
    var distance = step
    var hasMoved = false
    while target - distance > current.shown + step {
      try reel.seek(to: target - distance)
      hasMoved = true
      var next = PictureWindow(reel)
      try next.drop { $0.kind == .other || $0.isHidden }
      guard let entry = next.pictures.first, entry.shown < target - step / 4 else {
        // The demuxer has gone too far.
        distance *= 4
        continue
      }
      if entry.shown > current.shown {
        window = next
        return true
      }
      // There is no entry between the two.
      try next.drop { $0.shown != current.shown }
      window = next
      return false
    }
    if hasMoved {
      try reel.rewind()
      var next = PictureWindow(reel)
      try next.drop { $0.shown != current.shown }
      window = next
    }
    return false
  }
}

extension [CutSurvey.Stretch] {
  /// Adds what follows, as a part of the last one where the same is done to it.
  fileprivate mutating func add(_ next: CutSurvey.Stretch) {
    guard next.count != 0 else { return }
    guard let last = indices.last, self[last].isCopied == next.isCopied else {
      return append(next)
    }
    self[last].isChanged = self[last].isChanged || next.isChanged
    self[last].count = self[last].count.flatMap { count in next.count.map { $0 + count } }
  }
}

extension PictureReels {
  /// Ranges that are looked at, and pictures that are read of them together: a plan of ten thousand ranges
  /// is not to read all of their sources.
  static let mostSurveyed = (ranges: 256, pictures: 1 << 18)

  /// What is done to the first ranges of a plan, each with its place; of those that `isLeftOut`, nothing is
  /// read.
  ///
  /// - Throws: Why a picture cannot be cut and joined, with its source's failure as `cause`; also where
  ///   there is none in any range.
  /// - Complexity: O(pictures around the cuts)
  fileprivate func survey(
    _ ranges: [PictureRange], of plan: PicturePlan, leavingOut isLeftOut: (PictureRange) -> Bool,
    _ take: (Int, PicturePassage, [CutSurvey.Stretch]) -> Void = { _, _, _ in }
  ) throws(LibAVError) {
    var survey = CutSurvey(self, of: plan)
    var pictures = 0
    var isComplete = ranges.count <= Self.mostSurveyed.ranges
    for (index, range) in ranges.prefix(Self.mostSurveyed.ranges).enumerated() {
      guard pictures < Self.mostSurveyed.pictures, !isLeftOut(range) else {
        isComplete = false
        continue
      }
      do throws(LibAVError) {
        let asset = plan.assets[range.source]
        let reel = try reel(range.source)
        let before = reel.readCount
        let found = try survey.stretches(of: range, until: asset.start + asset.duration)
        pictures += reel.readCount - before
        take(index, found.passage, found.stretches)
      } catch {
        throw blame(error, on: range.source)
      }
    }
    if isComplete, survey.isEmpty, !cancellation.isCancelled, let last = ranges.last {
      throw blame(.noPicture, on: last.source)
    }
  }

  /// Refuses what cannot be cut and joined before a run works on it, as far as the packets near the ends of
  /// its first ranges say. Unless it `readsAll`, where all codecs are there, what would be read from its start
  /// or from a server is not read for it, and neither are fades, which may be anywhere.
  ///
  /// - Throws: Why a picture cannot be cut and joined, with its source's failure as `cause`.
  /// - Complexity: O(pictures around the cuts)
  func requirePossible(
    _ ranges: [PictureRange], of plan: PicturePlan, readingAll readsAll: Bool = false
  ) throws(LibAVError) {
    try survey(ranges, of: plan) { range in
      let asset = plan.assets[range.source]
      let isCostly = asset.location.url != nil || asset.container == "mpeg" || range.isFaded
      guard isCostly, !readsAll, let reel = try? reel(range.source) else {
        return isCostly && !readsAll
      }
      return reel.codecs.decodes(reel.stream) && reel.codecs.encodes(reel.stream.codecName)
    }
  }
}

extension MediaLibrary {
  /// Refuses what a run would refuse of a picture, as far as the packets near the ends of its first ranges
  /// and the first pictures of its first sources say; of `copy strict` all that is encoded, and of a source
  /// that is played whole what its first packets say. Nothing is looked at of files that are not there yet,
  /// of those of servers, and of those that other processes read for this one.
  ///
  /// - Complexity: O(pictures around the cuts); of fades under `copy strict` O(pictures)
  func requirePossible(_ plan: PicturePlan) throws(Failure) {
    guard !isConfined, isThere(plan) else { return }
    try plan.requireNearSounds()
    if plan.isCopiedWhole {
      // No packet is read so far that a rate would place it.
      _ = try openCopies(
        of: plan, atRate: 48_000, counting: PictureTally(), unless: CancellationFlag())
      return
    }
    let reels = PictureReels(
      plan.assets, of: self, areDecoded: plan.encoding != nil, unless: CancellationFlag())
    if let settings = plan.encoding {
      if !settings.isStill { try requireFit(reels, of: plan, settings) }
      return
    }
    do throws(LibAVError) {
      try reels.requireAlike(
        plan.assets.indices.prefix(PictureReels.mostSurveyed.ranges), in: plan.container)
      try reels.requirePossible(
        reels.ranges(of: plan, delayedBy: .zero), of: plan, readingAll: plan.isStrict)
    } catch {
      throw error.cause as? Failure ?? error.machineFailure
    }
  }

  /// Whether all files of a plan are there, and of this machine.
  private func isThere(_ plan: PicturePlan) -> Bool {
    plan.assets.allSatisfy { !$0.isPredicted && $0.location.url == nil }
  }

  /// A plan with what is copied and what is encoded of its first spans, found in the files; nothing is
  /// decoded. Of one that is encoded throughout, the first picture of each of the first sources is decoded,
  /// and compared with that of the output. Files that are not there yet, and those of servers, are not
  /// looked at.
  ///
  /// - Throws: Why its picture cannot be cut and joined, or encoded.
  /// - Complexity: O(pictures around the cuts)
  package func surveyed(
    _ plan: PicturePlan, unless cancellation: CancellationFlag = CancellationFlag()
  ) throws(Failure) -> PicturePlan {
    guard !plan.isCopiedWhole, isThere(plan) else { return plan }
    let reels = PictureReels(
      plan.assets, of: self, areDecoded: plan.encoding != nil, unless: cancellation)
    if let settings = plan.encoding {
      if !settings.isStill { try requireFit(reels, of: plan, settings) }
      return plan
    }
    var surveyed = plan
    do throws(LibAVError) {
      try reels.survey(
        reels.ranges(of: plan, delayedBy: .zero), of: plan, leavingOut: { _ in false }
      ) { index, passage, stretches in
        let span = plan.spans[index]
        surveyed.spans[index].parts = stretches.parts(
          of: passage, plan.assets[span.asset].start, until: span.target.end)
      }
    } catch {
      throw error.cause as? Failure ?? error.machineFailure
    }
    return surveyed
  }

  private func requireFit(
    _ reels: PictureReels, of plan: PicturePlan, _ settings: VideoSettings
  ) throws(Failure) {
    do throws(LibAVError) {
      _ = try reels.frames(
        of: reels.ranges(of: plan, delayedBy: .zero), settings,
        comparing: plan.assets.indices.prefix(PictureReels.mostSurveyed.ranges))
    } catch {
      throw error.cause as? Failure ?? error.machineFailure
    }
  }

  /// A graph with what is copied and what is encoded of its outputs' pictures; `report` gets why one cannot
  /// be cut and joined.
  package func surveyed(_ graph: Graph, reporting report: (Failure, Output) -> Void) -> Graph {
    var graph = graph
    for index in graph.sinks.indices {
      guard let plan = graph.sinks[index].picture else { continue }
      do throws(Failure) {
        graph.sinks[index].picture = try surveyed(plan)
      } catch {
        report(error, graph.sinks[index].output)
      }
    }
    return graph
  }
}

extension [CutSurvey.Stretch] {
  /// The same in the output's time; `start` is when the source's sound begins by its file's clock.
  fileprivate func parts(
    of passage: PicturePassage, _ start: Time, until end: Time
  ) -> [PicturePart] {
    indices.map { index in
      let isLast = index == count - 1
      let from = Swift.max(.zero, passage.time(of: self[index].first))
      let to = isLast ? end : passage.time(of: self[index + 1].first)
      let target = TimeRange(start: from, end: Swift.max(from, to))
      guard !self[index].isCopied else {
        return PicturePart(target: target, count: self[index].count)
      }
      let reason: PicturePart.Reason =
        self[index].isChanged
        ? .fade : isLast ? (index == 0 ? .whole : .end) : (index == 0 ? .start : .middle)
      let key = isLast ? nil : passage.reel.time(of: self[index + 1].first) - start
      return PicturePart(target: target, count: self[index].count, reason: reason, key: key)
    }
  }
}
