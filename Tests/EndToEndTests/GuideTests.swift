import TestSupport
import Testing

/// The recipes and the tutorial of `docs/`, as a reader would follow them.
@Suite("Recipes and the tutorial") struct GuideTests {
  private let stage = Stage()

  @Test("'avjob check' finds nothing to say about any recipe, on media of the names in it")
  func recipes() throws {
    try stage.make(
      """
      cp "$FIXTURES"/../Jobs/recipes/*.yaml .
      bash "$FIXTURES"/../Tests/Rigs/recipes.bash . "$FIXTURES"
      """)
    let names = try stage.make("ls *.yaml").text.split(separator: "\n")
    #expect(names.count == 21)
    // The servers of this one do not exist.
    for name in names where name != "remote.yaml" {
      let result = try stage.run("avjob check \(name)")
      #expect(
        result.status == 0 && result.remarksBesidesPictures == [], "\(name): \(result.errors)")
    }
  }

  @Test("the tutorial's commands run as written, in order, and print what it shows")
  func tutorial() throws {
    try stage.make(
      """
      cp -r "$FIXTURES" Fixtures
      mkdir scripts Jobs
      cp "$FIXTURES"/../Jobs/*.* Jobs
      printf '#!/bin/sh\\nexec timeout 60 "$AVJOB" "$@"\\n' >scripts/avjob
      chmod +x scripts/avjob
      """)
    let page = try GuidePage("tutorial.md")
    #expect(page.steps.count > 10)
    try page.follow(on: stage)
  }
}
