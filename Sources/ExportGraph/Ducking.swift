import Diagnosis
import MediaComposition
import MediaTime

/// An `AudioDucking` on a frame grid.
package struct Ducking: Sendable, Hashable, Encodable {
  /// Decibels by which the sound is lowered; more than 0.
  package var depth: Double
  /// The RMS from which on a key sounds, as a factor.
  package var threshold: Float
  /// Frames of the fall before a key sounds.
  package var attack: Int64
  /// Frames after a key has sounded during which the level stays down.
  package var hold: Int64
  /// Frames of the rise after that.
  package var release: Int64
  /// Frames of a step in which a key's level is taken: 10 ms.
  package var step: Int64
  /// A frame on which a step begins: the zero of the composition, wherever it is placed.
  package var zero: Int64
  /// The key tracks' names, for plans. Not encoded: names change no sound.
  package var keyNames: [String]

  private enum CodingKeys: CodingKey {
    case depth, threshold, attack, hold, release, step, zero
  }

  /// `ducking` in a composition whose own zero lies at `start` on a grid of `rate` frames a second.
  init(_ ducking: AudioDucking, at start: Time, rate: Int) {
    depth = ducking.depth
    threshold = Float(ducking.threshold.factor)
    attack = ducking.attack.frames(atRate: rate)
    hold = ducking.hold.frames(atRate: rate)
    release = ducking.release.frames(atRate: rate)
    step = Int64(max(1, rate / 100))
    zero = start.frame(atRate: rate)
    keyNames = ducking.keyTracks
  }
}

extension Ducking {
  /// Frames before a frame on which its gain depends: a step in which a key sounds and the one
  /// after it, wherever steps begin, and what follows them.
  package var behind: Int64 { hold + release + 3 * step }

  /// Frames after a frame on which its gain depends: the fall, and two steps, since a key counts
  /// from the step before it on.
  package var ahead: Int64 { attack + 2 * step }

  /// `frames` and all others on which their gain depends.
  package func reach(of frames: Range<Int64>) -> Range<Int64> {
    frames.lowerBound - behind..<frames.upperBound + ahead
  }
}

extension Ducking: CustomStringConvertible {
  /// For example `12 dB under 'voice'`.
  package var description: String {
    let names = keyNames.map { "'\($0)'" }.joined(separator: ", ")
    return "ducked by \(depth == depth.rounded() ? "\(Int(depth))" : "\(depth)") dB under \(names)"
  }

  /// The description with its times: `…, attack 0.08s, hold 0.3s, release 0.6s`.
  func text(rate: Int) -> String {
    func seconds(_ frames: Int64) -> String {
      Time(frames: frames, rate: rate).readableText
    }
    return "\(self), attack \(seconds(attack)), hold \(seconds(hold)), release \(seconds(release))"
  }
}

/// The duckings of a composition, on the frames in a window of its place.
struct DuckingPlan {
  /// For each ducked track, in an order in which keys come first: its keys, and how it is ducked.
  private(set) var tracks: [(track: Int, keys: [Int], ducking: Ducking)] = []
  /// The frames that are needed of each track: of a key more than the window.
  private(set) var windows: [Range<Int64>]

  /// The duckings of `composition`, whose own zero lies at `start` on the timeline.
  ///
  /// - Throws: `Failure` (`mendJob`) at the track that cannot be ducked as it says.
  init(
    of composition: Composition, at start: Time, rate: Int, window: Range<Int64>
  ) throws(Failure) {
    windows = Array(repeating: window, count: composition.tracks.count)
    do throws(Composition.DuckingProblem) {
      for (index, keys) in try composition.duckings() {
        guard let ducking = composition.tracks[index].ducking else { continue }
        tracks.append((index, keys, Ducking(ducking, at: start, rate: rate)))
      }
    } catch {
      throw Failure(
        .mendJob, error.error.description, origin: composition.tracks[error.track].origin)
    }
    for (index, keys, ducking) in tracks.reversed() {
      let reach = ducking.reach(of: windows[index])
      for key in keys {
        windows[key] =
          min(
            windows[key].lowerBound, reach.lowerBound)..<max(
            windows[key].upperBound, reach.upperBound)
      }
    }
  }
}

extension Compiler {
  /// Appends the nodes that duck tracks of a composition, to those of `sounds`, which has the nodes
  /// of each track. Keys become one node each.
  mutating func duck(_ sounds: inout [[Node.ID]], by plan: DuckingPlan, in composition: Composition)
  {
    for (index, keys, ducking) in plan.tracks {
      for key in keys where sounds[key].count > 1 {
        sounds[key] = [sum(of: sounds[key], at: composition.tracks[key].origin)]
      }
      let keyNodes = keys.flatMap { sounds[$0] }
      guard !keyNodes.isEmpty, !sounds[index].isEmpty else { continue }
      let origin = composition.tracks[index].origin
      let child = sounds[index].count == 1 ? sounds[index][0] : sum(of: sounds[index], at: origin)
      sounds[index] = [
        add(
          Node(
            .duck(child, keys: keyNodes, ducking), format: format, frames: nodes[child].frames,
            origin: origin))
      ]
    }
  }

  /// Appends the sum of nodes, over the frames from the first to the last of theirs.
  private mutating func sum(of children: [Node.ID], at origin: Origin) -> Node.ID {
    let first = children.map { nodes[$0].frames.lowerBound }.min() ?? 0
    let end = children.map { nodes[$0].frames.upperBound }.max() ?? 0
    let sum = add(Node(.mix(children), format: format, frames: first..<end, origin: origin))
    moveName(from: children, to: sum)
    return sum
  }
}
