internal import PulseAudio

/// The devices that a server has, and those that a session uses.
struct SessionRoute: Sendable, Hashable {
  let description: AudioSession.RouteDescription
  /// The names of all devices that are there and plugged in.
  private let available: Set<String>
  /// The present socket of each device.
  private let ports: [String: String]
  /// Frames a second of the output, or else of the input.
  let sampleRate: Int?

  /// The route of a session.
  ///
  /// - Parameters:
  ///   - devices: Those of the server.
  ///   - settings: Whether the session plays and records.
  ///   - used: The names of the sinks that the session's streams play to.
  init(_ devices: PulseDevices, _ settings: SessionSettings, used: Set<String>) {
    let outputs =
      used.isEmpty ? Set([devices.defaultSink].compactMap { $0 }) : used
    description = AudioSession.RouteDescription(
      outputs: settings.plays
        ? devices.sinks.filter { outputs.contains($0.name) }.map { .init($0, isInput: false) } : [],
      inputs: settings.records
        ? devices.sources.filter { $0.name == devices.defaultSource }
          .map { .init($0, isInput: true) } : [])
    let all = devices.sinks + devices.sources
    available = Set(all.flatMap(\.places))
    ports = Dictionary(all.map { ($0.name, $0.place) }, uniquingKeysWith: { $1 })
    sampleRate =
      devices.sinks.first { outputs.contains($0.name) }?.sampleRate
      ?? devices.sources.first { $0.name == devices.defaultSource }?.sampleRate
  }

  private init() { (description, available, ports, sampleRate) = (.init(), [], [:], nil) }

  /// Without a device.
  static let none = SessionRoute()

  /// Why this route was left for another one.
  ///
  /// - Returns: Nil if that is the same.
  func reason(for next: SessionRoute) -> AudioSession.RouteChangeReason? {
    guard next.description != description else { return nil }
    let old = places(description.outputs + description.inputs)
    let new = next.places(next.description.outputs + next.description.inputs)
    if old.contains(where: { !next.available.contains($0) && !new.contains($0) }) {
      return .oldDeviceUnavailable
    }
    return new.contains { !available.contains($0) } ? .newDeviceAvailable : .override
  }

  private func places(_ descriptions: [AudioSession.PortDescription]) -> Set<String> {
    Set(descriptions.map { ports[$0.uid] ?? $0.uid })
  }
}

extension PulseDevice {
  private func place(of port: Port) -> String { "\(name)\n\(port.summary)" }

  /// The device and its socket: headphones at a card are another place than its loudspeaker.
  fileprivate var place: String { port.map(place(of:)) ?? name }

  /// Where it can play to, or record from.
  fileprivate var places: [String] {
    port == nil && pluggedPorts.isEmpty ? [name] : pluggedPorts.map(place(of:))
  }
}

extension AudioSession.PortDescription {
  /// The port of a device.
  init(_ device: PulseDevice, isInput: Bool) {
    self.init(
      portName: device.port?.summary ?? device.summary,
      portType: AudioSession.Port(device, isInput: isInput), uid: device.name)
  }
}

extension AudioSession.Port {
  /// The kind of a device's port: by its bus, its socket (`pa_device_port_type`), and its form
  /// (`device.form_factor`).
  init(_ device: PulseDevice, isInput: Bool) {
    switch (device.bus, device.port?.type) {
    case ("bluetooth", _): self = .bluetoothA2DP
    case (_, 10), (_, 11): self = .hdmi
    case (_, 3), (_, 6): self = isInput ? .headsetMic : .headphones
    case ("usb", _), (_, 14): self = .usbAudio
    case (_, 21): self = .airPlay
    case (_, 2): self = .builtInSpeaker
    case (_, 4): self = isInput ? .lineIn : .lineOut
    case (_, 5): self = .builtInMic
    default:
      switch device.formFactor {
      case "headphone", "headset", "hands-free": self = isInput ? .headsetMic : .headphones
      case "speaker", "internal": self = isInput ? .builtInMic : .builtInSpeaker
      case "microphone": self = .builtInMic
      case "tv": self = .hdmi
      default: self = device.bus == "pci" ? (isInput ? .builtInMic : .lineOut) : .virtual
      }
    }
  }
}
