import Diagnosis

internal import PulseAudio

/// The settings of a session, and what a stream says of them.
struct SessionSettings: Sendable, Hashable {
  let category: AudioSession.Category
  let mode: AudioSession.Mode
  let options: AudioSession.CategoryOptions
  /// The role for which a module of the server silences or ducks others; nil: none is asked for.
  var triggerRole: String?

  init(
    _ category: AudioSession.Category = .playback, _ mode: AudioSession.Mode = .default,
    _ options: AudioSession.CategoryOptions = []
  ) {
    (self.category, self.mode, self.options) = (category, mode, options)
  }

  /// Whether the session plays, and whether it records.
  var plays: Bool { category != .record }
  var records: Bool { category == .record || category == .playAndRecord }

  /// `media.role` (PulseAudio's `proplist.h`).
  var role: String {
    if let triggerRole { return triggerRole }
    switch (category, mode) {
    case (_, .measurement): return "production"
    case (.ambient, _), (.soloAmbient, _): return "game"
    case (.playback, .moviePlayback): return "video"
    case (.playback, _): return "music"
    case (.playAndRecord, .voiceChat): return "phone"
    case (.record, _), (.playAndRecord, _): return "production"
    }
  }

  /// The properties of a stream.
  ///
  /// - Parameter title: What is heard.
  /// - Returns: Their values by their names.
  func properties(title: String?) -> [String: String] {
    var properties = ["media.role": role, "media.icon_name": icon]
    if let title { properties["media.name"] = title }
    if mode == .measurement { properties["filter.suppress"] = "echo-cancel" }
    return properties
  }

  /// A name of the icon naming specification (freedesktop.org).
  private var icon: String { records ? "audio-input-microphone" : "audio-x-generic" }

  /// The module of PulseAudio that these settings need; nil: none.
  var neededModule: String? {
    if options.contains(.duckOthers) { return "module-role-ducking" }
    return category == .soloAmbient ? "module-role-cork" : nil
  }

  /// Refuses settings that exclude one another.
  ///
  /// - Throws: `mendJob`.
  func check() throws(Failure) {
    if mode == .moviePlayback, category != .playback {
      throw Failure(
        .mendJob, "the mode 'moviePlayback' is for the category 'playback'; choose another mode")
    }
    if mode == .voiceChat, category != .playAndRecord {
      throw Failure(
        .mendJob, "the mode 'voiceChat' is for the category 'playAndRecord'; choose another mode")
    }
    if category == .soloAmbient, !options.isEmpty {
      throw Failure(
        .mendJob,
        "the category 'soloAmbient' silences others and has no options; choose 'ambient' or "
          + "'playback'")
    }
    if category == .record, !options.isEmpty {
      throw Failure(
        .mendJob,
        "the category 'record' plays nothing and has no options; choose 'playAndRecord'")
    }
  }

  /// The settings with the role for which the server does what they ask for.
  ///
  /// - Parameter modules: Those of the server.
  /// - Returns: The same settings, if no module is needed.
  /// - Throws: `mendMachine` if the server lacks the module.
  func resolved(by modules: [PulseModule]) throws(Failure) -> SessionSettings {
    guard let needed = neededModule else { return self }
    guard let module = modules.first(where: { $0.name == needed }) else {
      let (what, other) =
        category == .soloAmbient
        ? ("the category 'soloAmbient' silences", "choose 'ambient'")
        : ("the option 'duckOthers' lowers", "leave the option out")
      throw Failure(
        .mendMachine,
        "\(what) other programs by PulseAudio's \(needed), which this sound server does not have; "
          + "load it (pactl load-module \(needed)), or \(other)")
    }
    var settings = self
    let roles = (module.argument("trigger_roles") ?? "phone").split(separator: ",")
    settings.triggerRole = roles.first.map { String($0) } ?? "phone"
    return settings
  }
}
