extension TagNames {
  /// Whether a tag describes the file, or a stream as it is in it: it would be wrong in another file.
  package static func isTechnical(_ key: String) -> Bool {
    let key = key.lowercased()
    return technicalTags.contains(key) || technicalPrefixes.contains(where: key.hasPrefix)
  }

  private static let technicalTags: Set<String> = [
    "encoder", "encoder_options", "length", "totalsamples", "major_brand", "minor_version",
    "compatible_brands", "creation_time",
    "handler_name", "vendor_id", "duration", "itunsmpb", "itunpgap", "tlen", "bps", "bps-eng",
    "number_of_frames", "number_of_bytes", "duration-eng", "number_of_frames-eng",
    "number_of_bytes-eng", "waveformatextensible_channel_mask",
    // Of servers of videos: where and how the file was sent.
    "gshh", "gspm", "gspu", "gssd", "gsst", "gstd",
  ]

  /// mkvmerge's statistics, iTunes' notes, and programs' private data (ID3v2.4 §4.27).
  private static let technicalPrefixes = ["_statistics_", "comment:itun", "id3v2_priv."]
}
