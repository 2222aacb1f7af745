/// The vocabulary of `AVAudioSession`, by its names.
extension AudioSession {
  /// What a program does with sound (`AVAudioSession.Category`). The role is that of the stream's
  /// property `media.role`, by which servers and desktops sort streams.
  public enum Category: String, Sendable, Hashable, CaseIterable {
    /// Sound beside others, without which the program works as well: role `game`, which a server
    /// leaves alone when a call begins.
    case ambient
    /// As `ambient`, and other programs are silenced: by PulseAudio's `module-role-cork` only.
    case soloAmbient
    /// Sound that is listened to: role `music`, or `video` in the mode `moviePlayback`.
    case playback
    /// Recording: role `production`.
    case record
    /// Both: role `production`, or `phone` in the mode `voiceChat`.
    case playAndRecord
  }

  /// How a category is meant (`AVAudioSession.Mode`).
  public enum Mode: String, Sendable, Hashable, CaseIterable {
    /// The category's usual role.
    case `default`
    /// Speech that is listened to: as `default`, since servers pause music and speech alike.
    case spokenAudio
    /// The sound of a film: role `video`. For `playback`.
    case moviePlayback
    /// A call: role `phone`, for which servers pause others. For `playAndRecord`.
    case voiceChat
    /// Sound that is measured: role `production`, and `filter.suppress` keeps echo cancellers away.
    case measurement
  }

  /// How a session behaves toward other programs (`AVAudioSession.CategoryOptions`).
  public struct CategoryOptions: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: UInt

    /// The options with these bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Others are heard at the same time: what both servers do anyway, and so do all categories but
    /// `soloAmbient`.
    public static let mixWithOthers = CategoryOptions(rawValue: 1 << 0)
    /// Others are heard more softly while this program plays: by PulseAudio's `module-role-ducking`,
    /// which restores them in any case, and by no other means.
    public static let duckOthers = CategoryOptions(rawValue: 1 << 1)
  }

  /// An event of a session.
  public enum Event: Sendable, Hashable {
    /// The sound is stopped from outside, or may go on (`interruptionNotification`).
    case interruption(Interruption)
    /// Sound goes to other devices, or comes from others (`routeChangeNotification`).
    case routeChange(RouteChangeReason, previousRoute: RouteDescription)
    /// The sound server has ended (`mediaServicesWereLostNotification`).
    case mediaServicesWereLost
    /// The sound server is back (`mediaServicesWereResetNotification`).
    case mediaServicesWereReset
  }

  /// A part of an interruption.
  public enum Interruption: Sendable, Hashable {
    /// It begins: attached players and recorders pause. Reported again, before the end, if one that was
    /// resumed meanwhile pauses again.
    case began(InterruptionReason)
    /// It ends, also if the interrupted stream was closed; `shouldResume` where a player played, or a
    /// recorder recorded, before (`InterruptionOptions.shouldResume`). Recorders continue then; of players
    /// the program decides, as on Apple's systems.
    case ended(shouldResume: Bool)
  }

  /// Why the sound is stopped (`AVAudioSession.InterruptionReason`).
  public enum InterruptionReason: Sendable, Hashable {
    /// Another program's stream has priority, such as a call.
    case `default`
    /// The device is suspended, by a user or by a program that takes it. AVAudioSession has no such
    /// reason.
    case deviceSuspended
  }

  /// Why a route changes (`AVAudioSession.RouteChangeReason`).
  public enum RouteChangeReason: Sendable, Hashable {
    /// The old device is gone, or nothing is plugged in there any more: attached players pause.
    case oldDeviceUnavailable
    /// A device was connected, and is used now.
    case newDeviceAvailable
    /// The category was changed.
    case categoryChange
    /// A user or a program has selected another device.
    case override
  }

  /// The devices of a session (`AVAudioSessionRouteDescription`).
  public struct RouteDescription: Sendable, Hashable {
    /// Where sound goes; empty for `record`, or without a device.
    public var outputs: [PortDescription]
    /// Where sound comes from; empty unless the category records.
    public var inputs: [PortDescription]

    /// A route.
    package init(outputs: [PortDescription] = [], inputs: [PortDescription] = []) {
      (self.outputs, self.inputs) = (outputs, inputs)
    }
  }

  /// A device, or a socket of it (`AVAudioSessionPortDescription`).
  public struct PortDescription: Sendable, Hashable {
    /// The server's text for it.
    public var portName: String
    /// What it is.
    public var portType: Port
    /// The server's name of the device: it stays the same when it is connected again.
    public var uid: String

    /// A port.
    package init(portName: String, portType: Port, uid: String) {
      (self.portName, self.portType, self.uid) = (portName, portType, uid)
    }
  }

  /// The kind of a port (`AVAudioSession.Port`), as far as the server says.
  public enum Port: String, Sendable, Hashable, CaseIterable {
    /// A loudspeaker of the machine.
    case builtInSpeaker
    /// Headphones.
    case headphones
    /// A socket for amplifiers.
    case lineOut
    /// HDMI or DisplayPort.
    case hdmi = "HDMI"
    /// A device at USB.
    case usbAudio
    /// A device by Bluetooth.
    case bluetoothA2DP
    /// A device by a network.
    case airPlay
    /// A microphone of the machine.
    case builtInMic
    /// The microphone of a headset.
    case headsetMic
    /// A socket for sound from outside.
    case lineIn
    /// Anything else, such as a device of software.
    case virtual
  }
}
