import TestSupport
import Testing

@Suite("A program that is loaded once for all tests")
struct ForkServerTests {
  @Test("a copy of it has the caller's words, input, folder, limits, signals and end")
  func copies() throws {
    let stage = Stage()
    let result = try stage.run(
      """
      rigs="$FIXTURES"/../Tests/Rigs
      clang -O1 -fPIC -shared "$rigs"/forkserver.c -o server.so
      clang -O1 "$rigs"/forkclient.c -o sh
      FORK_SERVER=$PWD/sh.socket LD_PRELOAD=$PWD/server.so /bin/sh & server=$!
      mkdir below
      cd below
      echo input | CALLER=here ../sh -c 'read line; echo "$1 $line $CALLER ${PWD##*/}"' -- word
      ../sh -c 'echo said >&2; exit 3' 2>errors; echo $?; cat errors
      ../sh -c 'kill -9 $$'; echo $?
      ../sh -c 'cat' <&-; echo $?
      clients=()
      for i in 1 2 3 4 5 6 7 8; do ../sh -c "sleep 0.$i; exit $i" & clients+=($!); done
      for client in ${clients[@]}; do wait $client; echo $?; done
      ../sh -c 'echo $$ >process; exec sleep 60' & client=$!
      until [ -s process ]; do sleep 0.01; done
      kill -KILL $client
      while [ -e /proc/$(<process) ]; do sleep 0.01; done
      (umask 027; ulimit -n 77; trap '' USR1; ../sh -c 'kill -USR1 $$; umask; ulimit -n')
      FORK_PATIENCE=1 ../sh -c 'sleep 60'; echo $?
      ../sh -c 'trap "echo caught; exit 5" TERM; echo >ready; while :; do sleep 0.01; done' & client=$!
      until [ -e ready ]; do sleep 0.01; done
      kill -TERM $client
      wait $client; echo $?
      kill $server
      wait $server
      ../sh -c :; echo $?
      """)
    #expect(
      result.text == """
        word input here below
        3
        said
        137
        0
        1
        2
        3
        4
        5
        6
        7
        8
        0027
        77
        124
        caught
        5
        127

        """)
    #expect(result.errors.hasSuffix("/sh.socket: Connection refused\n"))
  }
}
