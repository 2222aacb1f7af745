# Turns a page of ArgumentParser's generate-manual (mdoc(7)) into one of ours: named as Debian and
# git name pages of commands, without empty lines, with examples as literal text, and with avjob's
# exit statuses.
# usage: awk -v name=avjob-cache-list -v version=0.1.0 -f manual.awk PAGE

BEGIN {
  command = name
  sub(/-/, " ", command)
  if (name ~ /^avjob-(cache|report)-/) gsub(/-/, " ", command)
}

# A list of examples ends with anything else.
literal && !/^(avjob |# )/ {
  print ".Ed"
  literal = 0
}

/^\.Dt / { print ".Dt " toupper(name) " 1"; next }
/^\.Os/ { print ".Os \"avjob " version "\""; next }
/^\.Sh/ { section = $0 }
/^\.Nm/ && section == ".Sh NAME" { print ".Nm " name; next }
/^\.Nm$/ { print ".Nm \"" command "\""; next }

# The generator ends its last line without a line feed, and lists commands that are not for people.
/^\.Xr avjob\.(isolated-|help )/ { next }
/^\.Xr / {
  page = $2
  gsub(/\./, "-", page)
  references = references (references ? " ,\n" : "") ".Xr " page " 1"
  next
}
section ~ /SEE ALSO/ { next }
/^\.Ex -std/ { next }
/^\.Sh "EXIT STATUS"/ { next }

# An empty line is a paragraph; one before a list or a section is nothing.
/^(\.Pp)?$/ { paragraph = 1; next }
paragraph {
  paragraph = 0
  isExample = section == ".Sh DESCRIPTION" && /^(avjob |# )/
  if (!isExample && !/^\.(Bl|It|El|Sh)/) print ".Pp"
}
section == ".Sh DESCRIPTION" && !literal && !inList && /^(avjob |# )/ {
  print ".Bd -literal -offset indent"
  literal = 1
}
/^\.Bl/ { inList++ }
/^\.El/ { inList-- }
{ print }

END {
  if (literal) print ".Ed"
  print ".Sh EXIT STATUS"
  print ".Bl -tag -width Ds"
  print ".It 0"
  print "All is done."
  print ".It 1"
  print "A job failed, or a file cannot be used."
  print ".It 2"
  print "A job file or the arguments are wrong."
  print ".It 75"
  print "A later try may succeed."
  print ".It 129 , 130 , 143"
  print "After SIGHUP, SIGINT and SIGTERM."
  print ".El"
  if (name == "avjob") examples()
  print ".Sh SEE ALSO"
  if (name != "avjob") {
    parent = name
    sub(/-[^-]*$/, "", parent)
    references = ".Xr " parent " 1" (references ? " ,\n" references : "")
  }
  print references
}

# Literal lines, one for each argument that is not empty.
function show(a, b, c, d) {
  print ".Bd -literal -offset indent"
  print a
  if (b) print b
  if (c) print c
  if (d) print d
  print ".Ed"
}

function examples() {
  print ".Sh EXAMPLES"
  print "A job file cuts a range out of a recording, brings it to the level of podcasts, and writes two"
  print "formats:"
  show("clip: interview.wav 1:00..2:30.5", "fade_out: 2s", "loudness: apple-podcasts", \
    "output: [teaser.mp3, teaser.m4a]")
  print "Find its mistakes, see what it would make, hear it, make it:"
  show("avjob check teaser.yaml", "avjob plan teaser.yaml", "avjob preview teaser.yaml", \
    "avjob run teaser.yaml")
  print "Make a job of each file that a pattern finds:"
  show("for_each: raw/**/*.wav", "output: { folder: out, mp3: abr 96k, channels: mono }")
  print "Do without a job file, or have one printed to start from:"
  show("avjob clip interview.wav --from 1:00 --to 2:30.5 -o teaser.mp3", \
    "avjob concat intro.mp3 episode.flac outro.ogg -o full.mp3", \
    "avjob compress raw -o small --mp3 \"abr 96k\" --loudness -16LUFS", \
    "avjob clip interview.wav --from 1:00 -o teaser.mp3 --print-job")
}
