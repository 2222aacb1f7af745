import Diagnosis
import JSON
import TestSupport
import Testing

@testable import Clusters

/// Names that mean something to an engine, to a shell or to YAML.
private let names =
  [
    "a${{ secrets.TOKEN }}.yaml", "a$(HOME)b.yaml", "$$(HOME)", "$$$", "$HOME ${HOME:-x}",
    "$[[ inputs.x ]]", "it's \"one\": #2 ##[group] ###vso[x]", "!a", "~/b", "#c", "d**/e?[f]{g,h}",
    " i ", "back\\slash", "${{ a }}${{ b }}", "%j %%", "`id`", "*", "ü — ä",
    joined(["${{ secrets.TOKEN }}", "$(HOME)", "$$", "$[[ inputs.x ]]", "##[group]"]),
    joined(["'", "'$(id)'", "*", "[", "]", "{", "%", "!", "#", "~"]),
  ] + ["!", "#", "~", "'", "$", "[", "*"].flatMap(JoinedTexts.around)

/// Each of them with what makes one character with it at its sides.
private func joined(_ syntax: [String]) -> String {
  syntax.flatMap(JoinedTexts.around).joined(separator: "-")
}

extension String {
  /// Whether it has the bytes of another text; `==` takes other forms of a letter for the same.
  fileprivate func isExactly(_ other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}

@Suite("What engines make of texts of their own")
struct EngineTextTests {
  /// `expansion.Expand` of Kubernetes.
  private func kubernetes(_ text: String, _ variables: [String: String]) -> String {
    var (rest, result) = (text.unicodeScalars[...], String.UnicodeScalarView())
    while let next = rest.popFirst() {
      guard next == "$", let operand = rest.first else {
        result.append(next)
        continue
      }
      if operand == "$" {
        rest.removeFirst()
        result.append("$")
      } else if operand == "(", let end = rest.firstIndex(of: ")") {
        let name = String(rest[rest.index(after: rest.startIndex)..<end])
        result.append(contentsOf: (variables[name] ?? "$(\(name))").unicodeScalars)
        rest = rest[rest.index(after: end)...]
      } else {
        result.append("$")
      }
    }
    return String(result)
  }

  /// `os.Expand` of Go, by which GitLab's runner expands variables, where each has the value `!`.
  private func gitlab(_ text: String) -> String {
    var (rest, result) = (Array(text.unicodeScalars)[...], String.UnicodeScalarView())
    while let next = rest.popFirst() {
      guard next == "$", let first = rest.first else {
        result.append(next)
        continue
      }
      if first == "{" || first == "_" || first.isASCII && Character(first).isLetter
        || first.isASCII && Character(first).isNumber || "*#$@!?-".unicodeScalars.contains(first)
      {
        return String(result) + "!"
      }
      result.append("$")
    }
    return String(result)
  }

  /// A pattern as @actions/glob and doublestar read a segment of it: what it matches, if it is one
  /// text alone; nil for any other pattern.
  private func matched(_ pattern: String) -> String? {
    var (rest, result) = (Array(pattern.unicodeScalars)[...], String.UnicodeScalarView())
    while let next = rest.popFirst() {
      switch next {
      case "\\": result.append(contentsOf: rest.popFirst().map { [$0] } ?? [])
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
    return String(result)
  }

  @Test(
    "a shell gets each word as it is, and no engine finds an expression in it", arguments: names)
  func shell(name: String) throws {
    let word = EngineText.shellWord(name)
    for shell in ["sh", "bash"] {
      #expect(try Tool.run([shell, "-c", "printf %s \(word)"]).text.isExactly(name))
    }
    for mark in ["${{", "$[[", "##"] { #expect(!word.containsScalars(mark)) }
  }

  @Test("Kubernetes puts no variable into a word", arguments: names)
  func kubernetesWords(name: String) {
    #expect(kubernetes(EngineText.kubernetesWord(name), ["HOME": "/root"]).isExactly(name))
  }

  @Test("GitHub finds one path in a line, without expressions and negations", arguments: names)
  func githubPaths(name: String) throws {
    let line = try #require(EngineText.githubPath(name))
    #expect(!line.containsScalars("${{") && line.trimmed == line)
    #expect(!["!", "#", "~"].contains { line.startsWithScalars($0) })
    let path = try #require(matched(line))
    #expect(path.isExactly(name) || path.isExactly("./" + name))
  }

  @Test("GitLab finds one path in an artifact's, without variables", arguments: names)
  func gitlabPaths(name: String) throws {
    let path = try #require(EngineText.gitlabPath(name))
    #expect(gitlab(path).isExactly(path) && matched(path)?.isExactly(name) == true)
  }

  @Test("a line feed, which no line can hold, is any one character")
  func lineFeeds() {
    #expect(EngineText.githubPath("a\nb") == "a?b" && EngineText.gitlabPath("a\nb") == "a?b")
  }

  @Test("paths that an engine keeps no artifacts of have no pattern")
  func outside() {
    let joined =
      JoinedTexts.behind.map { "../\($0)a" } + JoinedTexts.before.map { "a\($0)/../b" }
    for path in ["..", "../a", "a/../b"] + joined {
      #expect(EngineText.githubPath(path) == nil && EngineText.gitlabPath(path) == nil)
    }
    #expect(EngineText.githubPath("/a") == "/a" && EngineText.gitlabPath("/a") == nil)
    for mark in JoinedTexts.behind { #expect(EngineText.gitlabPath("/\(mark)a") == nil) }
  }

  @Test("whole manifests have no expression but their own", arguments: ClusterManifest.allCases)
  func manifests(engine: ClusterManifest) {
    var run = ShardedRun([], of: "a.yaml", words: names, shards: 2, cores: 1)
    run.outputs = names
    let text = engine.text(run, image: "avjob")
    let own = ["${{ matrix.shard }}"].reduce(text) { $0.replacing($1, with: "") }
    // Kubernetes expands `$(…)` alone.
    #expect(engine == .kubernetes || !own.containsScalars("${{") && !text.containsScalars("$[["))
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
