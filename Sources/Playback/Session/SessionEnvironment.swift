import Glibc

/// Properties of streams that alsa-lib's plugins open: their client libraries take them from the
/// environment.
extension AudioSession {
  /// The variables: `PULSE_PROP` is that of libpulse (pulseaudio(1)), `PIPEWIRE_ALSA` that of
  /// PipeWire's plugin, whose roles begin with a capital letter.
  var environment: [String: String] {
    let properties = core.application.merging(core.settings.properties(title: nil)) { $1 }
    let role = core.settings.role
    return [
      "PULSE_PROP": properties.sorted { $0.key < $1.key }
        .map { "\($0.key)=\"\($0.value.quotable)\"" }.joined(separator: " "),
      "PIPEWIRE_ALSA": "{ media.role = \"\(role.prefix(1).uppercased() + role.dropFirst())\" "
        + "application.name = \"\(core.application["application.name"]?.quotable ?? "")\" }",
    ]
  }

  /// Gives the streams of alsa-lib's plugins the properties of the session, such as those of a
  /// `Recorder`; variables that are set already stay.
  ///
  /// The environment belongs to the process: call it before the first thread starts.
  package func setEnvironment() {
    for (name, value) in environment { setenv(name, value, 0) }
  }
}

extension String {
  /// Without what ends a quotation.
  fileprivate var quotable: String {
    String(String.UnicodeScalarView(unicodeScalars.filter { $0 != "\"" && $0 != "\\" }))
  }
}
