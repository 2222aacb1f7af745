import Diagnosis
import Files
import LibAV
import MediaComposition
import Synchronization
import SystemPackage
import Threads

/// A sound beside the digest that its own file has of it.
package struct SoundFixity: Sendable, Hashable {
  /// The MD5 that the file has, and that of the sound: 16 bytes each.
  package var announced, found: [UInt8]
  /// What else is wrong with it, a clause; nil where that is not known.
  package var fault: String?
  /// Which link of a chain of files it is, counted from 1; nil of a file that is not chained.
  package var link: Int?
  /// The links of the chain that have no digest.
  package var unprovenLinks: [Int]

  /// A sound that was decoded.
  package init(
    announced: [UInt8], found: [UInt8], fault: String? = nil, link: Int? = nil,
    unprovenLinks: [Int] = []
  ) {
    (self.announced, self.found, self.fault, self.link) = (announced, found, fault, link)
    self.unprovenLinks = unprovenLinks
  }

  /// Decodes the sound of a file; nil of a file that has no digest of it. Called from any thread.
  package typealias Hear = @Sendable (FilePath) throws(Failure) -> SoundFixity?

  /// The MD5 that the file has, in hexadecimal digits.
  package var announcedText: String { announced.hexadecimal }
  /// That of the sound.
  package var foundText: String { found.hexadecimal }

  fileprivate var isAsAnnounced: Bool { announced == found }

  fileprivate var state: FixityResult.State {
    guard isAsAnnounced else { return .changed }
    return unprovenLinks.isEmpty ? .ok : .unknown
  }

  fileprivate var reason: String {
    guard isAsAnnounced else {
      return "its sound does not have the MD5 of its header"
        + (link.map { " in link \($0) of its chain" } ?? "") + (fault.map { "; \($0)" } ?? "")
    }
    let proved = "its sound has the MD5 of its header"
    guard let first = unprovenLinks.first else { return proved }
    return unprovenLinks.count == 1
      ? "\(proved), but link \(first) of its chain has none, and is not proved"
      : "\(proved), but \(unprovenLinks.count) links of its chain have none, the first of them link "
        + "\(first), and are not proved"
  }
}

/// What became of a file that was to be proved.
package struct FixityResult: Sendable, Hashable {
  /// In which state a file is.
  package enum State: String, Sendable, Hashable, CaseIterable {
    /// As all witnesses say, or, without a witness, with the sound of its own digest.
    case ok
    /// Other than a witness says, or with another sound than that of its own digest.
    case changed
    /// A witness names it, and it is not there.
    case missing
    /// No witness has a digest of it, nor has it one of all of its sound; or it is a text that was edited
    /// since its receipts were written.
    case unknown
    /// It cannot be read.
    case unreadable
    /// It is not looked at.
    case refused
  }

  /// The file.
  package var path: FilePath
  /// Its state.
  package var state: State
  /// What a witness says: the first one that it differs from, or the first one of all.
  package var claim: FixityClaim?
  /// The SHA-256 that it has; nil where it was not computed.
  package var digest: [UInt8]?
  /// Its sound, where no witness has a digest of the file; nil where it was not decoded.
  package var sound: SoundFixity?
  /// Its bytes; nil where it was not looked at.
  package var size: Int64?
  /// Why it is in this state, if that is not said by the other facts.
  package var reason: String?
  /// Whether something is wrong.
  package var isFault: Bool

  /// The digest in hexadecimal digits.
  package var digestText: String? { digest?.hexadecimal }
}

extension FixityInventory {
  /// Proves all files, on all cores. `finish` must have gone before.
  ///
  /// - Parameters:
  ///   - hear: Decodes the sounds of files of which no witness has a digest; nil: these stay unknown.
  ///   - report: Gets the state of each, in order of their paths, on this thread.
  /// - Complexity: O(bytes of the files), with `hear` O(samples) of the sounds; a block of 256 KiB for each
  ///   core in memory, or a decoder
  package func prove(
    hearing hear: SoundFixity.Hear? = nil, _ report: (FixityResult) -> Void
  ) {
    let items = items
    // Nothing here throws: neither closure does.
    try? Crew.gather(from: nil, unless: CancellationFlag()) { crew in
      try crew.inOrder(items.count, keeping: 0) {
        64 + 16 * $0
      } make: {
        Proof(of: items[$0], hear)
      } collect: { proof in
        if let result = proof.result { report(result) }
      }
    }
  }
}

/// The proof of one file.
private final class Proof: CrewTask {
  private let item: FixityInventory.Item
  private let hear: SoundFixity.Hear?
  private let found = Mutex<FixityResult?>(nil)

  init(of item: FixityInventory.Item, _ hear: SoundFixity.Hear?) {
    (self.item, self.hear) = (item, hear)
  }

  /// What became of it; nil before `advance`.
  var result: FixityResult? { found.withLock(\.self) }

  func advance() -> Bool {
    let result = prove()
    found.withLock { $0 = result }
    return true
  }

  private func prove() -> FixityResult {
    if let refusal = item.refusal { return result(.refused, reason: refusal) }
    guard !item.claims.isEmpty else { return unnamed() }
    do throws(Errno) {
      let bytes = try FileBytes(item.path)
      let status = try FileStatus(of: bytes.descriptor.rawValue)
      if Confinement.hides(bytes.descriptor) {
        return result(.refused, reason: "is hidden, and with --root no hidden file is read")
      }
      guard status.kind == .file else { return result(.refused, reason: "is no regular file") }
      return compared(bytes, status)
    } catch {
      return unreadable(error)
    }
  }

  /// The state of a file that no witness names.
  private func unnamed() -> FixityResult {
    do throws(Errno) {
      let status = try FileStatus(at: item.path, followingLinks: false)
      let heard = status.kind == .file ? heard(size: status.size) : nil
      return heard ?? result(.unknown, size: status.size)
    } catch {
      return unreadable(error)
    }
  }

  /// The state of a file by the digest of its own sound; nil where it has none.
  private func heard(size: Int64) -> FixityResult? {
    guard let hear, item.mayProveItself else { return nil }
    do throws(Failure) {
      guard let sound = try hear(item.path) else { return nil }
      var found = result(sound.state, size: size, reason: sound.reason)
      (found.sound, found.claim) = (sound, nil)
      return found
    } catch {
      let state: FixityResult.State = error.code == .mediaUnsupported ? .unknown : .unreadable
      return result(state, size: size, reason: error.message)
    }
  }

  private func unreadable(_ error: Errno) -> FixityResult {
    if error == .noSuchFileOrDirectory || error == .notDirectory { return result(.missing) }
    if let refusal = Confinement.refusal(error.rawValue) {
      return result(.refused, reason: refusal.reason)
    }
    return result(.unreadable, reason: "cannot be read: \(error)")
  }

  private func compared(_ bytes: FileBytes, _ status: FileStatus) -> FixityResult {
    let size = status.size
    let strict = item.claims.lazy.filter { $0.textTime == nil }
    let other = strict.first { claim in claim.size.map { $0 != size } ?? false }
    guard item.claims.contains(where: { $0.digest != nil }) else {
      return other.map { result(.changed, of: $0, size: size) } ?? heard(size: size)
        ?? result(
          .unknown, size: size,
          reason: "its receipt has no digest; 'avjob run --checksum' keeps digests")
    }
    let digest: [UInt8]
    do {
      // Never cancelled, so there is one.
      digest = try SHA256.digest(of: bytes) ?? []
    } catch {
      return result(.unreadable, size: size, reason: "cannot be read: \(error)")
    }
    func isWrong(_ claim: FixityClaim) -> Bool { claim.digest.map { $0 != digest } ?? false }
    if let changed = strict.first(where: isWrong) ?? other {
      return result(.changed, of: changed, digest: digest, size: size)
    }
    if let right = item.claims.first(where: { $0.digest == digest }) {
      return result(.ok, of: right, digest: digest, size: size)
    }
    // All that have a digest are receipts that name it as a text.
    let time = FileIdentity(status).modificationTime
    let decayed = item.claims.first { $0.size == size && $0.textTime == time && isWrong($0) }
    if let decayed { return result(.changed, of: decayed, digest: digest, size: size) }
    return result(
      .unknown, digest: digest, size: size,
      reason: "was edited since its receipts were written; 'avjob run --checksum' renews its digest"
    )
  }

  private func result(
    _ state: FixityResult.State, of claim: FixityClaim? = nil, digest: [UInt8]? = nil,
    size: Int64? = nil, reason: String? = nil
  ) -> FixityResult {
    let isFault =
      switch state {
      case .ok: false
      case .unknown: item.mustBeNamed
      case .changed, .missing, .unreadable, .refused: true
      }
    return FixityResult(
      path: item.path, state: state, claim: claim ?? item.claims.first, digest: digest, size: size,
      reason: reason, isFault: isFault)
  }
}
