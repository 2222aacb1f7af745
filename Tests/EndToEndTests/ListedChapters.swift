import TestSupport

extension Stage {
  /// The chapters of a file as `probe` has them: `0.5 Title`, one a line.
  func chapters(of name: String) throws -> [String] {
    try make(
      """
      avjob probe --json \(name) | /usr/bin/python3 -c 'import json, sys
      for c in json.load(sys.stdin)["media"][0]["chapters"]: print(c["start"], c["title"])'
      """
    ).text.split(separator: "\n").map(String.init)
  }

  /// The same as ffprobe has them, of whole milliseconds.
  func foreignChapters(of name: String) throws -> [String] {
    try make(
      """
      ffprobe -v error -of json -show_chapters \(name) | /usr/bin/python3 -c 'import json, sys
      for c in sorted(json.load(sys.stdin)["chapters"], key=lambda c: float(c["start_time"])):
        print("%g" % round(float(c["start_time"]), 3), c.get("tags", {}).get("title", ""))'
      """
    ).text.split(separator: "\n").map(String.init)
  }
}
