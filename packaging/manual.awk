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
  print ".Sh SEE ALSO"
  if (name != "avjob") {
    parent = name
    sub(/-[^-]*$/, "", parent)
    references = ".Xr " parent " 1" (references ? " ,\n" references : "")
  }
  print references
}
