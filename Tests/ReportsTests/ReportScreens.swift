// tidy: long because it is three whole reports.

/// `ReportTests`' run as JSON.
let jsonReport = #"""
  {
    "version": 2,
    "versions": {
      "avjob": "0.1.0",
      "ffmpeg": "5.1.9",
      "lame": "3.100"
    },
    "machine": {
      "system": "Linux 6.1 x86_64",
      "cores": 2
    },
    "files": [
      "jobs.yaml",
      "more.yaml",
      "broken.yaml"
    ],
    "started": "2026-01-02T03:04:05.007Z",
    "elapsed": 1.234,
    "exit_status": 1,
    "totals": {
      "jobs": 5,
      "done": 1,
      "up_to_date": 1,
      "failed": 1,
      "blocked": 1,
      "cancelled": 0,
      "not_started": 1,
      "outputs": 3,
      "bytes": 1935785,
      "sound": 20,
      "sound_exact": "20s"
    },
    "messages": [
      {
        "severity": "error",
        "class": "job",
        "message": "unknown key 'clp'",
        "file": "broken.yaml",
        "line": 1,
        "column": 1,
        "excerpt": "    1 | clp: a\n      | ^~~"
      }
    ],
    "jobs": [
      {
        "name": "episode/01",
        "job": "episode",
        "file": "jobs.yaml",
        "line": 2,
        "column": 3,
        "status": "done",
        "reason": "'a.wav' has changed",
        "attempts": 2,
        "start": 0.012,
        "elapsed": 0.5,
        "speed": 20,
        "inputs": [
          {
            "path": "a.wav",
            "stream": 0,
            "container": "wav",
            "codec": "pcm_s16le",
            "sample_rate": 44100,
            "channels": "stereo",
            "frames": 882000,
            "duration": 20,
            "duration_exact": "20s"
          }
        ],
        "outputs": [
          {
            "path": "out/a.mp3",
            "format": "MP3 V2",
            "bytes": 171429,
            "sample_rate": 44100,
            "channel_count": 2,
            "frames": 441000,
            "duration": 10,
            "duration_exact": "10s",
            "peak_dbfs": -6.02,
            "clipped_samples": 0
          },
          {
            "path": "out/a.psc",
            "format": "Podlove Simple Chapters",
            "bytes": 312
          },
          {
            "path": "b�.a",
            "path_hex": "62ff2e61",
            "format": "WAV 16 bit",
            "bytes": 1764044,
            "sha256": "00000000000000000000000000000000000000000000000000000000000000ff",
            "sample_rate": 44100,
            "channel_count": 2,
            "frames": 441000,
            "duration": 10,
            "duration_exact": "10s",
            "peak_dbfs": 1.94,
            "clipped_samples": 17
          }
        ],
        "messages": [
          {
            "severity": "warning",
            "message": "17 samples are over full scale",
            "file": "jobs.yaml",
            "line": 5,
            "column": 3
          }
        ]
      },
      {
        "name": "</td>|`a`*b*\u001B[2J\u0000]]>&amp;\"'\n@me #1 www.x.org",
        "file": "jobs.yaml",
        "line": 9,
        "column": 3,
        "status": "failed",
        "attempts": 1,
        "start": 0.02,
        "elapsed": 0.03,
        "inputs": [],
        "outputs": [
          {
            "path": "b.mp3",
            "format": "MP3 V2"
          }
        ],
        "messages": [
          {
            "severity": "error",
            "class": "input",
            "message": "</td>|`a`*b*\u001B[2J\u0000]]>&amp;\"'\n@me #1 www.x.org",
            "help": "mend it",
            "file": "jobs.yaml",
            "line": 9,
            "column": 3,
            "excerpt": "@me #1 www.x.org"
          }
        ]
      },
      {
        "name": "c",
        "file": "jobs.yaml",
        "line": 12,
        "column": 3,
        "status": "blocked",
        "blocked_by": "</td>|`a`*b*\u001B[2J\u0000]]>&amp;\"'\n@me #1 www.x.org",
        "attempts": 0,
        "inputs": [],
        "outputs": [],
        "messages": []
      },
      {
        "name": "d",
        "file": "jobs.yaml",
        "line": 15,
        "column": 3,
        "status": "up_to_date",
        "attempts": 0,
        "inputs": [],
        "outputs": [],
        "messages": []
      },
      {
        "name": "e",
        "file": "more.yaml",
        "line": 1,
        "column": 1,
        "status": "not_started",
        "attempts": 0,
        "inputs": [],
        "outputs": [],
        "messages": []
      }
    ]
  }

  """#

/// The same as JUnit XML.
let junitReport = #"""
  <?xml version="1.0" encoding="UTF-8"?>
  <testsuites name="avjob" tests="6" failures="1" errors="1" time="1.234">
    <testsuite name="broken.yaml" tests="1" failures="0" errors="1" skipped="0" time="0.000" timestamp="2026-01-02T03:04:05">
      <testcase name="broken.yaml" classname="broken.yaml" time="0.000">
        <error message="unknown key 'clp'" type="job">broken.yaml:1:1: error: unknown key 'clp'
      1 | clp: a
        | ^~~</error>
      </testcase>
    </testsuite>
    <testsuite name="jobs.yaml" tests="4" failures="1" errors="0" skipped="1" time="0.530" timestamp="2026-01-02T03:04:05">
      <testcase name="episode/01" classname="jobs.yaml" time="0.500">
        <system-out>jobs.yaml:5:3: warning: 17 samples are over full scale</system-out>
      </testcase>
      <testcase name="&lt;/td&gt;|`a`*b*�[2J�]]&gt;&amp;amp;&quot;'&#10;@me #1 www.x.org" classname="jobs.yaml" time="0.030">
        <failure message="&lt;/td&gt;|`a`*b*�[2J�]]&gt;&amp;amp;&quot;'&#10;@me #1 www.x.org" type="input">jobs.yaml:9:3: error: &lt;/td&gt;|`a`*b*�[2J�]]&gt;&amp;amp;&quot;'
  @me #1 www.x.org</failure>
      </testcase>
      <testcase name="c" classname="jobs.yaml" time="0.000">
        <skipped message="blocked, since '&lt;/td&gt;|`a`*b*�[2J�]]&gt;&amp;amp;&quot;'&#10;@me #1 www.x.org' is not done"/>
      </testcase>
      <testcase name="d" classname="jobs.yaml" time="0.000">
        <system-out>up to date</system-out>
      </testcase>
    </testsuite>
    <testsuite name="more.yaml" tests="1" failures="0" errors="0" skipped="1" time="0.000" timestamp="2026-01-02T03:04:05">
      <testcase name="e" classname="more.yaml" time="0.000">
        <skipped message="not started"/>
      </testcase>
    </testsuite>
  </testsuites>

  """#

private let hostile =
  "<code>&#60;/td&#62;&#124;&#96;a&#96;&#42;b&#42;�&#91;2J�&#93;&#93;&#62;&#38;amp;\"'�&#64;me &#35;1 "
  + "www&#46;x.org</code>"
private let hostileText = hostile.dropFirst("<code>".count).dropLast("</code>".count)

/// The same as Markdown.
let markdownReport = """
  ### avjob: 1 of 5 jobs done, 1 up to date, 1 failed, 1 blocked, 1 not started

  1.23 s on 2 cores, 0:20.000 of sound, 1.9 MB

  #### Errors

  - <code>broken.yaml&#58;1&#58;1</code> unknown key 'clp'
  - \(hostile): <code>jobs.yaml&#58;9&#58;3</code> \(hostileText)

  #### Warnings

  - <code>episode/01</code>: <code>jobs.yaml&#58;5&#58;3</code> 17 samples are over full scale

  | Job | Status | Output | Duration | Size | Speed | Levels | Clipped |
  | --- | --- | --- | ---: | ---: | ---: | ---: | ---: |
  | \(hostile) | **failed** | <code>b.mp3</code> |  |  |  |  |  |
  | <code>c</code> | blocked by \(hostile) |  |  |  |  |  |  |
  | <code>e</code> | not started |  |  |  |  |  |  |
  | <code>episode/01</code> | done, 2 attempts | <code>out/a.mp3</code> | 0:10.000 | 171 kB | 20.0× | −6.0 dBFS | 0 |
  |  |  | <code>out/a.psc</code> |  | 312 B |  |  |  |
  |  |  | <code>b�.a</code> | 0:10.000 | 1.8 MB | 20.0× | +1.9 dBFS | **17** |
  | <code>d</code> | up to date |  |  |  |  |  |  |

  """
