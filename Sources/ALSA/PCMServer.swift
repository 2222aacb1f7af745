import Glibc

internal import CALSA

/// A sound server that a device of alsa-lib's configuration leads to.
package struct PCMServer: Sendable, Hashable {
  /// The server's address, as its client library takes it; nil: that of the user.
  package let address: String?
  /// The server's name of its sink or source; nil: its default one.
  package let device: String?

  /// The server that a device is a plugin of: types `pulse` and `pipewire`.
  ///
  /// Reads alsa-lib's configuration, and opens no device.
  ///
  /// - Parameter name: A device, such as `default`.
  /// - Returns: Nil for any other device, and for a plugin with settings that are not known here.
  package static func behind(_ name: String) -> PCMServer? {
    var top: OpaquePointer?
    guard (try? loadALSA()) != nil, alsa.config_update_ref(&top) >= 0, let top else { return nil }
    defer { alsa.config_unref(top) }
    var name = name
    // Some distributions call `default` by another name's definition.
    for _ in 0..<4 {
      var found: OpaquePointer?
      Messages.forget()
      guard alsa.config_search_definition(top, "pcm", name, &found) >= 0, let found else {
        return nil
      }
      defer { _ = alsa.config_delete(found) }
      guard let alias = string(found) else { return server(entries(of: found)) }
      name = alias
    }
    return nil
  }

  /// The server for the settings of a device.
  static func server(_ settings: [String: String]) -> PCMServer? {
    let type = settings["type"]
    var (address, device): (String?, String?)
    for (key, value) in settings where key != "type" && key != "hint" && !value.isEmpty {
      switch (type, key) {
      case ("pulse", "server"): address = value
      case ("pulse", "device"): device = value
      case ("pulse", "handle_underrun"), ("pulse", "fallback"): break
      case ("pipewire", "playback_node"), ("pipewire", "capture_node"):
        guard value == "-1" else { return nil }
      case ("pipewire", "server"): guard value == "pipewire-0" else { return nil }
      default: return nil
      }
    }
    return type == "pulse" || type == "pipewire"
      ? PCMServer(address: address, device: device) : nil
  }

  private static func string(_ node: OpaquePointer) -> String? {
    var text: UnsafePointer<CChar>?
    guard alsa.config_get_string(node, &text) >= 0 else { return nil }
    return text.map { String(cString: $0) }
  }

  /// The entries of a compound; those that are compounds themselves have an empty text.
  private static func entries(of node: OpaquePointer) -> [String: String] {
    guard alsa.config_get_type(node) == SND_CONFIG_TYPE_COMPOUND else { return [:] }
    var entries: [String: String] = [:]
    var place = alsa.config_iterator_first(node)
    let end = alsa.config_iterator_end(node)
    while place != end, let entry = alsa.config_iterator_entry(place) {
      var name: UnsafePointer<CChar>?
      var text: UnsafeMutablePointer<CChar>?
      if alsa.config_get_id(entry, &name) >= 0, let name {
        let isText = alsa.config_get_ascii(entry, &text) >= 0
        entries[String(cString: name)] = isText ? text.map { String(cString: $0) } ?? "" : ""
        free(text)
      }
      place = alsa.config_iterator_next(place)
    }
    return entries
  }
}
