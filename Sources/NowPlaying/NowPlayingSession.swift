import DBus
import Glibc
import Synchronization
import Threads

/// What is playing, and the commands of other programs, over the bus of the user's session
/// (`MPNowPlayingSession`): MPRIS 2.2, which desktops, headsets' keys, phones and `playerctl` know.
///
/// Without libsystemd, and without a bus, nothing happens, and nothing is printed. If the bus ends,
/// it is tried again from time to time. A process may have several sessions. Safe from any thread;
/// no call waits for the bus.
public final class NowPlayingSession: Sendable {
  /// What is playing (`nowPlayingInfoCenter`).
  public let nowPlayingInfoCenter: NowPlayingInfoCenter
  /// The commands of other programs (`remoteCommandCenter`).
  public let remoteCommandCenter: RemoteCommandCenter
  private let link: NowPlayingLink
  private let thread = Mutex<Thread?>(nil)

  /// How long the end of the session's thread is waited for.
  private static var patience: Duration { .milliseconds(200) }

  /// A session that is not active yet; nil if `application` is no such name.
  ///
  /// - Parameters:
  ///   - application: The name of the program: letters, digits, `_`, and no digit first. It is the
  ///     end of the name on the bus, `org.mpris.MediaPlayer2.NAME`, and of the desktop entry, if one
  ///     is installed.
  ///   - identity: The name for people; nil: `application`.
  public init?(application: String, identity: String? = nil) {
    let isName = application.utf8.allSatisfy {
      let character = Character(Unicode.Scalar($0))
      return character.isASCII && (character.isLetter || character.isNumber || character == "_")
    }
    guard isName, let first = application.first, !first.isNumber, application.utf8.count < 128
    else { return nil }
    let core = NowPlayingCore()
    nowPlayingInfoCenter = NowPlayingInfoCenter(core)
    remoteCommandCenter = RemoteCommandCenter(core)
    link = NowPlayingLink(
      core, remoteCommandCenter, application: application, identity: identity ?? application)
  }

  deinit { end() }

  /// Joins the bus on a thread of its own, at the first call (`becomeActiveIfPossible(completion:)`).
  /// Set information and targets before. Without a thread to spare nothing happens.
  public func becomeActiveIfPossible() { becomeActiveIfPossible(onBusAt: nil) }

  /// Joins the bus at an address (D-Bus specification, "Server Addresses"), or the session's for
  /// nil, on a thread of its own, at the first call.
  package func becomeActiveIfPossible(onBusAt address: String?) {
    thread.withLock { thread in
      guard thread == nil else { return }
      thread = link.start(onBusAt: address)
    }
  }

  /// The session's name on the bus; nil while it has none (`isActive`).
  package var busName: String? { link.busName }

  /// Leaves the bus for good. Waits 200 ms at most, for a call that has begun.
  public func end() {
    link.end()
    let thread = thread.withLock { $0 }
    // A target may release the session.
    if let thread, !thread.isCurrent { thread.join(until: .now + Self.patience) }
  }
}
