import Diagnosis
import ExportGraph
import JSON
import LibAV
import MediaComposition
import MediaTime
import Threads

/// The pictures on both sides of a join, as small JPEGs.
package struct PictureJoin: Sendable, Hashable, Codable {
  /// When the second one is shown, in the output's time.
  package var time: Time
  /// The last one before it; nil: it is not drawn.
  package var before: [UInt8]?
  /// The first one behind it; nil: it is not drawn.
  package var after: [UInt8]?

  /// A join without pictures.
  package init(time: Time) { self.time = time }

  /// An element of `picture_joins` (`docs/json.md`).
  package var json: JSONValue {
    JSONValue.members([
      "start": .time(time), "before": before.map { .base64($0) },
      "after": after.map { .base64($0) },
    ])
  }
}

extension ExportSession.Rendering {
  /// Gives the outputs the pictures at their joins, as the finished files have them.
  mutating func drawPictureJoins(unless cancellation: CancellationFlag) {
    for (index, sink) in graph.sinks.enumerated() {
      guard let times = sink.picture?.joins, let file = writers[index].files.first else { continue }
      outputs[index].pictureJoins = JoinDrawing.joins(
        in: .file(file.currentPath), at: times, unless: cancellation)
    }
  }
}

/// Decodes single pictures of a finished file. One thread at a time.
private final class JoinDrawing {
  private let reel: PictureReel
  private var scaler: (plan: PictureScaler.Plan, scaler: PictureScaler)?

  private init(_ reel: PictureReel) { self.reel = reel }

  /// Joins that are drawn of one output.
  private static let mostDrawn = 24
  /// The longer side of a drawn picture.
  private static let longestSide = 192

  /// The joins at these times of a file's sound, the first of them with their pictures. A picture that
  /// cannot be decoded, and where there is no decoder or no JPEG each of them, is not drawn.
  static func joins(
    in location: MediaLocation, at times: [Time], unless cancellation: CancellationFlag
  ) -> [PictureJoin] {
    var joins = times.map { PictureJoin(time: $0) }
    // Of its own: what it knows of unfinished files is of no use to others.
    let library = MediaLibrary()
    guard !joins.isEmpty, Frame.canBeJPEG,
      let asset = try? library.asset(at: location, streamIndex: 0),
      let drawing = try? open(asset, of: library, unless: cancellation)
    else { return joins }
    for index in joins.indices.prefix(mostDrawn) where !cancellation.isCancelled {
      try? drawing.draw(&joins[index], from: asset.start)
    }
    return joins
  }

  private static func open(
    _ asset: Asset, of library: MediaLibrary, unless cancellation: CancellationFlag
  ) throws(Failure) -> JoinDrawing {
    let demuxer = try library.openPictures(of: asset)
    return try reading(asset.location) { () throws(LibAVError) in
      JoinDrawing(
        try PictureReel(
          0, demuxer, of: asset.pictureTrack, isDecoded: true, unless: cancellation))
    }
  }

  /// Draws the pictures on both sides of a join; `start` is when the sound begins by the file's clock.
  private func draw(_ join: inout PictureJoin, from start: Time) throws(LibAVError) {
    let range = PictureRange(source: 0, from: start + join.time, to: nil, place: { $0 })
    var passage = PicturePassage(range, of: reel)
    guard let entrance = try passage.enter() else { return }
    join.after = try jpeg(passage, entrance)
    guard let earlier = entrance.earlier, let entrance = try passage.enter(at: earlier) else {
      return
    }
    join.before = try jpeg(passage, entrance)
  }

  private func jpeg(
    _ passage: PicturePassage, _ entrance: PicturePassage.Entrance
  ) throws(LibAVError) -> [UInt8]? {
    let decoder = try RangeDecoder(passage, entrance.window, from: entrance.first)
    guard let frame = try decoder.next()?.frame else { return nil }
    let (pixels, orientation) = (reel.stream.pixelShape, reel.stream.orientation)
    var form = PictureForm(
      like: frame.form, pixels: pixels, rotation: orientation.rotation, nil
    ).limited(to: Self.longestSide)
    form.pixelFormat = Frame.jpegFormat
    var plan = PictureScaler.Plan(
      frame.form, frame.colours(of: reel.stream), pixels: pixels, rotation: orientation.rotation,
      to: form, in: .bt601, isCut: true)
    plan.isMirrored = orientation.isMirrored
    plan.hasFullRange = true
    if scaler?.plan != plan { scaler = (plan, try PictureScaler.open(plan)) }
    return try scaler?.scaler.scaled(frame).jpeg()
  }
}
