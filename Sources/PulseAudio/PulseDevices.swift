internal import CPulse

/// A sink or a source of a sound server.
package struct PulseDevice: Sendable, Hashable {
  /// Its name, which stays the same when it is connected again.
  package let name: String
  /// The server's text for it.
  package let summary: String
  /// Frames a second.
  package let sampleRate: Int
  /// Whether it is a source with the sound of a sink.
  package let isMonitor: Bool
  /// `device.form_factor`: `speaker`, `headphone`, `headset` …; empty if unknown.
  package let formFactor: String
  /// `device.bus`: `pci`, `usb`, `bluetooth`; empty if unknown.
  package let bus: String
  /// The socket that it plays to, or records from; nil if it has none.
  package let port: Port?
  /// All its sockets, except those in which nothing is plugged.
  package let pluggedPorts: [Port]

  /// A socket or a part of a device.
  package struct Port: Sendable, Hashable {
    /// The server's text for it, such as `Headphones`.
    package let summary: String
    /// `pa_device_port_type`.
    package let type: UInt32

    package init(summary: String, type: UInt32) { (self.summary, self.type) = (summary, type) }
  }

  package init(
    name: String, summary: String, sampleRate: Int = 48_000, isMonitor: Bool = false,
    formFactor: String = "", bus: String = "", port: Port? = nil, pluggedPorts: [Port] = []
  ) {
    (self.name, self.summary, self.sampleRate) = (name, summary, sampleRate)
    (self.isMonitor, self.formFactor, self.bus) = (isMonitor, formFactor, bus)
    (self.port, self.pluggedPorts) = (port, pluggedPorts)
  }
}

/// The devices of a server at one time.
package struct PulseDevices: Sendable, Hashable {
  /// For sound that is played, in the server's order.
  package let sinks: [PulseDevice]
  /// For sound that is recorded.
  package let sources: [PulseDevice]
  /// The names of those that are used unless others are asked for; nil if there are none.
  package let defaultSink, defaultSource: String?

  package init(
    sinks: [PulseDevice], sources: [PulseDevice], defaultSink: String?, defaultSource: String?
  ) {
    (self.sinks, self.sources) = (sinks, sources)
    (self.defaultSink, self.defaultSource) = (defaultSink, defaultSource)
  }
}

/// A module of a server.
package struct PulseModule: Sendable, Hashable {
  /// Such as `module-role-cork`.
  package let name: String
  /// Its arguments, as they were written: `trigger_roles=phone,event`.
  package let arguments: String

  package init(name: String, arguments: String) {
    (self.name, self.arguments) = (name, arguments)
  }

  /// The value of an argument; nil if it was not given.
  package func argument(_ key: String) -> String? {
    for word in arguments.split(whereSeparator: \.isWhitespace) {
      let parts = word.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, parts[0] == key else { continue }
      return parts[1].trimmingQuotes
    }
    return nil
  }
}

extension Substring {
  fileprivate var trimmingQuotes: String {
    String(drop { "\"'".contains($0) }.reversed().drop { "\"'".contains($0) }.reversed())
  }
}

extension PulseConnection {
  /// The devices of the server. Waits for the server.
  ///
  /// - Throws: `PulseError`.
  package func devices() throws(PulseError) -> PulseDevices {
    let pulse = library.functions
    let sinks = try ask("pa_context_get_sink_info_list", Reply<PulseDevice>(self)) {
      pulse.context_get_sink_info_list(
        context,
        { _, info, end, data in
          Reply<PulseDevice>.behind(data)?.take(info.map { PulseDevice($0.pointee) }, end: end)
        }, $0)
    }
    let sources = try ask("pa_context_get_source_info_list", Reply<PulseDevice>(self)) {
      pulse.context_get_source_info_list(
        context,
        { _, info, end, data in
          Reply<PulseDevice>.behind(data)?.take(info.map { PulseDevice($0.pointee) }, end: end)
        }, $0)
    }
    // The answer is one struct, and nothing after it.
    let defaults = try ask("pa_context_get_server_info", Reply<String?>(self)) {
      pulse.context_get_server_info(
        context,
        { _, info, data in
          let reply = Reply<String?>.behind(data)
          guard let info = info?.pointee else {
            reply?.take(nil, end: -1)
            return
          }
          reply?.take(.some(text(info.default_sink_name)), end: 0)
          reply?.take(.some(text(info.default_source_name)), end: 0)
          reply?.take(nil, end: 1)
        }, $0)
    }
    return PulseDevices(
      sinks: sinks, sources: sources, defaultSink: defaults.first ?? nil,
      defaultSource: defaults.last ?? nil)
  }

  /// The modules of the server. Waits for the server.
  ///
  /// - Throws: `PulseError`.
  package func modules() throws(PulseError) -> [PulseModule] {
    try ask("pa_context_get_module_info_list", Reply<PulseModule>(self)) {
      library.functions.context_get_module_info_list(
        context,
        { _, info, end, data in
          Reply<PulseModule>.behind(data)?.take(
            info.map {
              PulseModule(
                name: text($0.pointee.name) ?? "", arguments: text($0.pointee.argument) ?? "")
            }, end: end)
        }, $0)
    }
  }
}

private func text(_ characters: UnsafePointer<CChar>?) -> String? {
  characters.map { String(cString: $0) }
}

extension PulseDevice {
  fileprivate init(_ info: pa_sink_info) {
    let ports = (0..<Int(info.n_ports)).compactMap { info.ports[$0]?.pointee }
    self.init(
      info.name, info.description, info.sample_spec, isMonitor: false, info.proplist,
      port: info.active_port.map { Port(text($0.pointee.description), $0.pointee.type) },
      pluggedPorts: ports.filter { $0.available != PA_PORT_AVAILABLE_NO.rawValue }
        .map { Port(text($0.description), $0.type) })
  }

  fileprivate init(_ info: pa_source_info) {
    let ports = (0..<Int(info.n_ports)).compactMap { info.ports[$0]?.pointee }
    self.init(
      info.name, info.description, info.sample_spec, isMonitor: info.monitor_of_sink_name != nil,
      info.proplist,
      port: info.active_port.map { Port(text($0.pointee.description), $0.pointee.type) },
      pluggedPorts: ports.filter { $0.available != PA_PORT_AVAILABLE_NO.rawValue }
        .map { Port(text($0.description), $0.type) })
  }

  private init(
    _ name: UnsafePointer<CChar>?, _ summary: UnsafePointer<CChar>?, _ spec: pa_sample_spec,
    isMonitor: Bool, _ properties: OpaquePointer?, port: Port?, pluggedPorts: [Port]
  ) {
    let pulse = try? PulseLibrary.loaded().functions
    self.init(
      name: text(name) ?? "", summary: text(summary) ?? "", sampleRate: Int(spec.rate),
      isMonitor: isMonitor,
      formFactor: text(pulse?.proplist_gets(properties, "device.form_factor")) ?? "",
      bus: text(pulse?.proplist_gets(properties, "device.bus")) ?? "", port: port,
      pluggedPorts: pluggedPorts)
  }
}

extension PulseDevice.Port {
  fileprivate init(_ summary: String?, _ type: UInt32) {
    self.init(summary: summary ?? "", type: type)
  }
}
