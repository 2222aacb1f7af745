import Diagnosis
import JSON
import TestSupport
import Testing

@testable import Clusters

/// Names that mean something to an engine, to a shell or to YAML.
private let names = [
  "a${{ secrets.TOKEN }}.yaml", "a$(HOME)b.yaml", "$$(HOME)", "$$$", "$HOME ${HOME:-x}",
  "$[[ inputs.x ]]", "it's \"one\": #2 ##[group] ###vso[x]", "!a", "~/b", "#c", "d**/e?[f]{g,h}",
  " i ", "back\\slash", "${{ a }}${{ b }}", "%j %%", "`id`", "*", "ü — ä",
]

@Suite("What engines make of texts of their own")
struct EngineTextTests {
  /// `expansion.Expand` of Kubernetes.
  private func kubernetes(_ text: String, _ variables: [String: String]) -> String {
    var (rest, result) = (text[...], "")
    while let next = rest.popFirst() {
      guard next == "$", let operand = rest.first else {
        result.append(next)
        continue
      }
      if operand == "$" {
        rest.removeFirst()
        result += "$"
      } else if operand == "(", let end = rest.firstIndex(of: ")") {
        let name = String(rest[rest.index(after: rest.startIndex)..<end])
        result += variables[name] ?? "$(\(name))"
        rest = rest[rest.index(after: end)...]
      } else {
        result += "$"
      }
    }
    return result
  }

  /// `os.Expand` of Go, by which GitLab's runner expands variables, where each has the value `!`.
  private func gitlab(_ text: String) -> String {
    var (rest, result) = (Array(text)[...], "")
    while let next = rest.popFirst() {
      guard next == "$", let first = rest.first else {
        result.append(next)
        continue
      }
      if first == "{" || first == "_" || first.isASCII && (first.isLetter || first.isNumber)
        || "*#$@!?-".contains(first)
      {
        return result + "!"
      }
      result += "$"
    }
    return result
  }

  /// A pattern as @actions/glob and doublestar read a segment of it: what it matches, if it is one
  /// text alone; nil for any other pattern.
  private func matched(_ pattern: String) -> String? {
    var (rest, result) = (Array(pattern)[...], "")
    while let next = rest.popFirst() {
      switch next {
      case "\\": result += rest.popFirst().map(String.init) ?? ""
      case "[":
        guard rest.count > 1, rest[rest.startIndex + 1] == "]", let only = rest.popFirst() else {
          return nil
        }
        rest.removeFirst()
        result.append(only)
      case "*", "?", "{": return nil
      default: result.append(next)
      }
    }
    return result
  }

  @Test(
    "a shell gets each word as it is, and no engine finds an expression in it", arguments: names)
  func shell(name: String) throws {
    let word = EngineText.shellWord(name)
    #expect(try Tool.run(["sh", "-c", "printf %s \(word)"]).text == name)
    for mark in ["${{", "$[[", "##"] { #expect(!word.contains(mark)) }
  }

  @Test("Kubernetes puts no variable into a word", arguments: names)
  func kubernetesWords(name: String) {
    #expect(kubernetes(EngineText.kubernetesWord(name), ["HOME": "/root"]) == name)
  }

  @Test("GitHub finds one path in a line, without expressions and negations", arguments: names)
  func githubPaths(name: String) throws {
    let line = try #require(EngineText.githubPath(name))
    #expect(!line.contains("${{") && line.trimmed == line)
    #expect(!["!", "#", "~"].contains(line.prefix(1)))
    let path = try #require(matched(line))
    #expect(path == name || path == "./" + name)
  }

  @Test("GitLab finds one path in an artifact's, without variables", arguments: names)
  func gitlabPaths(name: String) throws {
    let path = try #require(EngineText.gitlabPath(name))
    #expect(gitlab(path) == path && matched(path) == name)
  }

  @Test("a line feed, which no line can hold, is any one character")
  func lineFeeds() {
    #expect(EngineText.githubPath("a\nb") == "a?b" && EngineText.gitlabPath("a\nb") == "a?b")
  }

  @Test("paths that an engine keeps no artifacts of have no pattern")
  func outside() {
    for path in ["..", "../a", "a/../b"] {
      #expect(EngineText.githubPath(path) == nil && EngineText.gitlabPath(path) == nil)
    }
    #expect(EngineText.githubPath("/a") == "/a" && EngineText.gitlabPath("/a") == nil)
  }

  @Test("whole manifests have no expression but their own", arguments: ClusterManifest.allCases)
  func manifests(engine: ClusterManifest) {
    var run = ShardedRun([], of: "a.yaml", words: names, shards: 2, cores: 1)
    run.outputs = names
    let text = engine.text(run, image: "avjob")
    let own = ["${{ matrix.shard }}"].reduce(text) { $0.replacing($1, with: "") }
    // Kubernetes expands `$(…)` alone.
    #expect(engine == .kubernetes || !own.contains("${{") && !text.contains("$[["))
    #expect(engine.unkept(run) == nil)
    run.outputs = ["../out"]
    #expect((engine.unkept(run) == nil) == [.slurm, .kubernetes].contains(engine))
  }
}

extension String {
  fileprivate var trimmed: String {
    String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
  }
}
