import JSON
import MediaComposition
import SystemPackage

extension RunReport {
  /// A list of sound files, after a run.
  package struct Manifest: Hashable, Sendable {
    var path: FilePath
    var form: DataSetManifest.Form
    /// How many files it lists.
    var fileCount: Int
    /// How many of them are not there yet.
    var missingCount: Int
    /// Whether it is there with all of them.
    var isWhole: Bool

    /// What became of a list of `fileCount` files, of which some are missing.
    package init(
      _ manifest: DataSetManifest, fileCount: Int, missingCount: Int, isWhole: Bool
    ) {
      (path, form) = (manifest.path, manifest.form)
      (self.fileCount, self.missingCount, self.isWhole) = (fileCount, missingCount, isWhole)
    }

    /// As a report has it.
    init(_ value: JSONValue) throws(ForeignDocument) {
      path = try value.path()
      form = try value.required("form") { $0.text.flatMap(DataSetManifest.Form.init) }
      fileCount = try value.count("files")
      missingCount = try value.count("missing")
      isWhole = try value.required("whole", \.boolean)
    }

    /// What became of it, for people: `12 files`, `3 of 12 files are missing`.
    var state: String {
      let files = fileCount == 1 ? "1 file" : "\(fileCount) files"
      guard !isWhole else { return files }
      guard missingCount > 0 else { return "\(files), not written" }
      return "\(missingCount) of \(files) \(missingCount == 1 ? "is" : "are") missing"
    }

    var json: JSONValue {
      .file(
        path,
        [
          "form": .text(form.rawValue), "files": .count(fileCount),
          "missing": .count(missingCount), "whole": .boolean(isWhole),
        ])
    }
  }
}

extension [RunReport.Manifest] {
  /// Those of all shards, each once, as the shard knows it that found the most of its files.
  var merged: [RunReport.Manifest] {
    var found: [RunReport.Manifest] = []
    var places: [FilePath: Int] = [:]
    for manifest in self {
      guard let place = places[manifest.path] else {
        places[manifest.path] = found.count
        found.append(manifest)
        continue
      }
      let known = found[place]
      if manifest.isWhole && !known.isWhole
        || manifest.isWhole == known.isWhole && manifest.missingCount < known.missingCount
      {
        found[place] = manifest
      }
    }
    return found
  }
}
