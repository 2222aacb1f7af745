import Diagnosis
import JSON
import MediaTime

/// A part of an output whose frames are copied from a source, or encoded beside such.
package struct CopiedPart: Sendable, Hashable, Codable {
  /// Why frames are encoded.
  package enum Reason: Sendable, Hashable, Codable {
    /// Nothing is heard.
    case silence
    /// Several sounds are heard at once.
    case mixed
    /// A gain, a fade or a pan.
    case level
    /// An effect, a speed, a loudness or reversed sound.
    case process
    /// A sound of another sample rate or of other channels.
    case conversion
    /// A sound of another codec.
    case codec
    /// A sound of the codec in a container without an exact time for each packet.
    case container
    /// A sound whose packets cannot be cut exactly, and why, if that is known.
    case inexact(PacketObstacle?)
    /// A sound whose packets can be those of one clip alone.
    case alone
    /// A sound whose decoder is set up otherwise than that of the others.
    case setup
    /// Frames that do not lie on the grid of the others, by so many samples later, or earlier.
    case grid(offset: Int)
    /// Frames that reach over a join.
    case seam
    /// Too short for frames of its own.
    case short
  }

  /// Where copied frames come from.
  package struct Source: Sendable, Hashable, Codable {
    /// The medium.
    package var location: MediaLocation
    /// What is copied of it.
    package var unit: Unit
    /// The frame of its sound that the part begins with.
    package var frame: Int64
    /// The first packet that is copied, counted from 0; nil of Opus and Vorbis, whose packets differ in length.
    package var firstPacket: Int?
    /// By how many samples the sound lies later than on the timeline, to be on the grid of the others.
    package var nudge: Int

    /// What is copied.
    package enum Unit: String, Sendable, Hashable, Codable {
      /// Frames of the codec, as they are.
      case packets
      /// Samples, which a lossless codec brings back.
      case samples
    }

    package init(
      _ location: MediaLocation, _ unit: Unit, frame: Int64, firstPacket: Int? = nil, nudge: Int = 0
    ) {
      (self.location, self.unit, self.frame) = (location, unit, frame)
      (self.firstPacket, self.nudge) = (firstPacket, nudge)
    }
  }

  /// Frames of sound of the output.
  package var frames: Range<Int64>
  /// Packets (frames of the codec) that hold them, with those before the sound that decoding needs;
  /// nil where samples are copied, and for packets of Opus and Vorbis until they are written.
  package var packetCount: Int?
  /// Nil where they are encoded.
  package var source: Source?
  /// Why they are encoded; empty for copied ones.
  package var reasons: [Reason]

  package init(
    frames: Range<Int64>, packetCount: Int? = nil, source: Source? = nil, reasons: [Reason] = []
  ) {
    (self.frames, self.packetCount) = (frames, packetCount)
    (self.source, self.reasons) = (source, reasons)
  }
}

/// Why packets of a sound are not copied from any place to any other one.
package enum PacketObstacle: String, Sendable, Hashable, Codable {
  /// HE-AAC, whose decoders depend on all that was before.
  case highEfficiency
  /// AAC of another profile than LC.
  case profile
  /// An edit list of several parts.
  case edits
  /// Times between packets without any sound.
  case gaps
  /// Several Ogg files, one behind the other.
  case chain
  /// Packets that are damaged, or whose times do not count their frames.
  case times
  /// Vorbis for Matroska, of which readers leave nothing out.
  case matroska

  /// For people, behind "since".
  package var text: String {
    switch self {
    case .highEfficiency: "it is HE-AAC, of which a whole file alone is copied"
    case .profile: "it is AAC of another profile than LC"
    case .edits: "its file plays it in several edits"
    case .gaps: "it has gaps between its packets"
    case .chain: "its file is a chain of Ogg files"
    case .times: "some are damaged, or have times that do not fit them"
    case .matroska: "players of Matroska leave out nothing of Vorbis"
    }
  }
}

extension CopiedPart.Reason {
  /// For people, as "several sounds are heard at once".
  package var text: String {
    switch self {
    case .silence: "nothing is heard"
    case .mixed: "several sounds are heard at once"
    case .level: "a gain, a fade or a pan is on the sound"
    case .process: "the sound is processed"
    case .conversion: "the sound has another rate or other channels"
    case .codec: "the sound is of another codec"
    case .container: "its container has no exact times of packets"
    case .inexact(let obstacle):
      "its packets cannot be cut exactly" + (obstacle.map { ", since \($0.text)" } ?? "")
    case .alone:
      "its packets can be those of one clip alone, as those of Vorbis, of AAC of more than two channels "
        + "or of frames of 960 samples, and of Opus for speech (SILK), in blocks below 20 ms or of more "
        + "than two channels"
    case .setup: "its packets have another header than those of the other sounds"
    case .grid(let offset):
      "its frames begin \(offset.magnitude) samples too \(offset < 0 ? "late" : "early")"
    case .seam: "frames reach over a join"
    case .short: "it is shorter than a frame"
    }
  }

  /// For programs.
  fileprivate var name: String {
    switch self {
    case .silence: "silence"
    case .mixed: "mixed"
    case .level: "level"
    case .process: "process"
    case .conversion: "conversion"
    case .codec: "codec"
    case .container: "container"
    case .inexact: "inexact"
    case .alone: "alone"
    case .setup: "setup"
    case .grid: "grid"
    case .seam: "seam"
    case .short: "short"
    }
  }

  fileprivate var offset: Int? { if case .grid(let offset) = self { offset } else { nil } }
}

extension [CopiedPart] {
  /// All reasons, each once, in order.
  package var reasons: [CopiedPart.Reason] {
    var found: [CopiedPart.Reason] = []
    for reason in flatMap(\.reasons) where !found.contains(reason) { found.append(reason) }
    return found
  }

  /// A member `copied` of `docs/json.md`.
  package var json: JSONValue { .list(map(\.json)) }
}

extension CopiedPart {
  /// For people, as "copied, 3000 packets of talk.mp3 from packet 12", or "copied, samples of
  /// a.wav from sample 44100".
  package var text: String {
    let count = packetCount.map { $0 == 1 ? "1 packet" : "\($0) packets" }
    guard let source else {
      return "encoded\(count.map { ", " + $0 } ?? ""): "
        + reasons.map(\.text).joined(separator: ", ")
    }
    let place = source.firstPacket.map { "packet \($0)" } ?? "sample \(source.frame)"
    let nudge =
      source.nudge == 0
      ? ""
      : ", \(source.nudge.magnitude) samples \(source.nudge < 0 ? "earlier" : "later")"
    return "copied, \(count ?? source.unit.rawValue) of \(source.location) from \(place)" + nudge
  }

  fileprivate var json: JSONValue {
    let place =
      ([
        "first_frame": .integer(frames.lowerBound), "end_frame": .integer(frames.upperBound),
      ] as JSONValue).with(.members(["packets": packetCount.map { .count($0) }]))
    guard let source else {
      let offset = reasons.compactMap(\.offset).first
      return place.with(
        .members([
          "reasons": .list(reasons.map { .text($0.name) }),
          "offset": offset.map { .integer(Int64($0)) },
        ]))
    }
    return place.with(
      .medium(
        source.location,
        [
          "source_frame": .integer(source.frame),
          "first_packet": source.firstPacket.map { .count($0) },
          "nudge": .integer(Int64(source.nudge)),
        ]))
  }
}
