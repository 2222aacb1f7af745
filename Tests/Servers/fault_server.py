#!/usr/bin/python3
"""An HTTP server with faults, for tests: fault_server.py FOLDER [options]

Prints its port on the first line, and serves the files of FOLDER. The first part of a path chooses
what goes wrong; parts joined by '+' go wrong together; values are percent-decoded:

  /plain/NAME             nothing
  /drop=N[,times=K]/      closes after N bytes of a body, for the first K requests of the path
  /rate=N/                sends N bytes a second
  /delay=MS/              waits before the head
  /noranges/              sends 200 and all bytes, without Accept-Ranges
  /noetag/ /dateonly/ /weak/   no validators; Last-Modified alone; a weak ETag
  /changes=N/             after N requests of the path another entity: bytes XOR 0x55
  /busy=K[,after=S]/      503, for the first K requests of the path, with Retry-After
  /wrongrange/            a Content-Range one byte too far
  /short/                 half of the body; the connection closes after 30 s
  /stall=N/               N bytes of the body, and then nothing
  /hold=N-M/              sends nothing of the bytes from N to M until GET /_release, or, after
                          GET /_release/K, nothing from K on; after GET /_break the connection
                          closes there, and every answer is 404
  /chunked/               chunks, without a length and ranges
  /closes/                neither length nor ranges: the connection's end is the body's
  /corrupt=N/             the byte at offset N is another one
  /endless/               chunks without an end
  /huge/ /huge-noranges/  10 GB of zeros
  /gzip/                  compressed, though nobody asked
  /status=CODE/           this status
  /redirect=CODE/TARGET   a redirect; TARGET is percent-decoded
  /loop/                  a redirect to itself
  /auth=USER:PASSWORD/    401 without these
  /maxage=S/              Cache-Control: max-age=S
  /head=BYTES/            fields of so many bytes in the head
  /header=NAME:VALUE/     this field in the head
  /raw=BYTES/             these bytes instead of an answer, and closes

GET /_heal/PATH ends the faults of a path: from then on it is served as /plain/ is.

As a proxy for http:// it answers for every host itself. GET /_counts gives the requests since the
last GET /_reset, as JSON; `began` is when the first byte of a body was sent, in nanoseconds of
CLOCK_MONOTONIC. Counts are per path.
"""
import argparse
import base64
import email.utils
import gzip
import hashlib
import json
import os
import select
import ssl
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, unquote_to_bytes

HUGE = 10_000_000_000
BLOCK = 1 << 16
CONDITIONS = ("If-Range", "If-None-Match", "If-Modified-Since", "Accept-Encoding", "Authorization")


class State:
    """What requests came, behind a lock."""

    def __init__(self):
        self.lock = threading.Lock()
        self.records, self.counts, self.connections = [], {}, 0
        self.healed = set()
        self.released, self.is_broken = 0, False
        self.changed = threading.Condition()

    def connect(self):
        with self.lock:
            self.connections += 1
            return self.connections

    def count(self, path):
        """How many requests of the path came before this one."""
        with self.lock:
            before = self.counts.get(path, 0)
            self.counts[path] = before + 1
            return before

    def add(self, record):
        with self.lock:
            self.records.append(record)

    def reset(self):
        with self.lock:
            self.records, self.counts = [], {}

    def text(self):
        with self.lock:
            return json.dumps(self.records).encode()


class Entity:
    """Bytes with validators; `version` 1 is the changed one."""

    def __init__(self, path, version=0, corrupt=None):
        self.path, self.version, self.corrupt = path, version, corrupt
        facts = os.stat(path) if path else None
        self.size = facts.st_size if facts else HUGE
        changed = int(facts.st_mtime) if facts else 1_000_000_000
        key = f"{path} {self.size} {facts.st_mtime_ns if facts else 0} {version}"
        self.tag = hashlib.sha1(key.encode()).hexdigest()[:16]
        self.date = email.utils.formatdate(changed + 3600 * version, usegmt=True)

    def read(self, offset, count):
        if not self.path:
            return bytes(count)
        with open(self.path, "rb") as file:
            file.seek(offset)
            data = file.read(count)
        if self.version:
            data = bytes(byte ^ 0x55 for byte in data)
        if self.corrupt is not None and offset <= self.corrupt < offset + len(data):
            data = bytearray(data)
            data[self.corrupt - offset] ^= 0xFF
        return bytes(data)

    def blocks(self, first, end):
        while first < end:
            data = self.read(first, min(BLOCK, end - first))
            if not data:
                return
            first += len(data)
            yield data


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def setup(self):
        super().setup()
        self.connection_number = self.server.state.connect()

    def log_message(self, *_):
        pass

    def do_GET(self):
        state = self.server.state
        # As a proxy is asked (RFC 9112, 3.2.2): it answers for every host itself.
        if self.path.startswith("http://"):
            self.path = "/" + self.path[7:].partition("/")[2]
        if self.path.startswith(("/_release", "/_break")):
            with state.changed:
                state.is_broken = self.path == "/_break"
                state.released = int(self.path.partition("/_release/")[2] or sys.maxsize)
                state.changed.notify_all()
            return self.answer(200, b"")
        if self.path in ("/_counts", "/_reset"):
            if self.path == "/_reset":
                state.reset()
            return self.answer(200, state.text() if self.path == "/_counts" else b"")
        if self.path.startswith("/_heal/"):
            state.healed.add(self.path[6:])
            return self.answer(200, b"")
        first, _, name = self.path.lstrip("/").partition("/")
        faults = {}
        for part in first.replace("+", ",").split(","):
            key, _, value = part.partition("=")
            faults[key] = unquote(value)
        self.faults = {} if self.path in state.healed else faults
        self.record = {"path": self.path, "range": self.headers.get("Range"), "status": 0,
                       "connection": self.connection_number, "bytes": 0,
                       "host": self.headers.get("Host")}
        for condition in CONDITIONS:
            if condition in self.headers:
                self.record[condition] = self.headers[condition]
        state.add(self.record)
        try:
            self.serve(name, state.count(self.path))
        except (BrokenPipeError, ConnectionResetError, ssl.SSLError):
            self.close_connection = True

    def serve(self, name, before):
        faults = self.faults
        time.sleep(int(faults.get("delay", 0)) / 1000)
        if "raw" in faults:
            raw = self.path.lstrip("/").partition("/")[0].partition("raw=")[2]
            self.wfile.write(unquote_to_bytes(raw))
            self.close_connection = True
            return
        if "auth" in faults:
            wanted = "Basic " + base64.b64encode(faults["auth"].encode()).decode()
            if self.headers.get("Authorization") != wanted:
                return self.answer(401, b"no\n", {"WWW-Authenticate": 'Basic realm="test"'})
        if "busy" in faults and before < int(faults["busy"]):
            return self.answer(503, b"busy\n", {"Retry-After": faults.get("after", "1")})
        if self.server.state.is_broken:
            return self.answer(404, b"no such file\n")
        if "status" in faults:
            more = {"Retry-After": faults["after"]} if "after" in faults else {}
            return self.answer(int(faults["status"]), b"status\n", more)
        if "redirect" in faults:
            return self.answer(int(faults["redirect"]), b"moved\n", {"Location": unquote(name)})
        if "loop" in faults:
            return self.answer(302, b"moved\n", {"Location": self.path})
        entity = self.entity(name, before)
        if not entity:
            return self.answer(404, b"no such file\n")
        if "gzip" in faults:
            return self.answer(200, gzip.compress(entity.read(0, entity.size)),
                               {"Content-Encoding": "gzip"})
        self.serve_entity(entity, before)

    def entity(self, name, before):
        faults = self.faults
        if {"huge", "huge-noranges"} & faults.keys() or ("endless" in faults and not name):
            return Entity(None)
        path = os.path.join(self.server.folder, os.path.basename(unquote(name.split("?")[0])))
        if not os.path.isfile(path):
            return None
        version = 1 if "changes" in faults and before >= int(faults["changes"]) else 0
        corrupt = int(faults["corrupt"]) if "corrupt" in faults else None
        return Entity(path, version, corrupt)

    def validators(self, entity):
        faults = self.faults
        fields = {}
        if not {"noetag", "dateonly"} & faults.keys():
            fields["ETag"] = ("W/" if "weak" in faults else "") + f'"{entity.tag}"'
        if "noetag" not in faults:
            fields["Last-Modified"] = entity.date
        return fields

    def serve_entity(self, entity, before):
        faults = self.faults
        fields = self.validators(entity)
        if "maxage" in faults:
            fields["Cache-Control"] = "max-age=" + faults["maxage"]
        asked = self.headers.get("If-None-Match")
        since = self.headers.get("If-Modified-Since")
        if asked is not None:
            if asked == fields.get("ETag"):
                return self.answer(304, None, fields)
        elif since is not None and since == fields.get("Last-Modified"):
            return self.answer(304, None, fields)
        has_ranges = not {"noranges", "huge-noranges", "chunked", "endless",
                          "closes"} & faults.keys()
        first, end = 0, entity.size
        status = 200
        if has_ranges:
            fields["Accept-Ranges"] = "bytes"
            found = self.asked_range(entity, fields)
            if found == "beyond":
                fields["Content-Range"] = f"bytes */{entity.size}"
                return self.answer(416, b"beyond\n", fields)
            if found:
                status, (first, end) = 206, found
                shift = 1 if "wrongrange" in faults else 0
                fields["Content-Range"] = f"bytes {first + shift}-{end - 1 + shift}/{entity.size}"
        if {"chunked", "endless"} & faults.keys():
            fields["Transfer-Encoding"] = "chunked"
            self.head(status, fields)
            return self.send_chunks(entity, before)
        if "closes" in faults:
            fields["Connection"] = "close"
        else:
            fields["Content-Length"] = str(end - first)
        self.head(status, fields)
        self.send_body(entity, first, end, before)

    def asked_range(self, entity, fields):
        text = self.headers.get("Range", "")
        condition = self.headers.get("If-Range")
        if condition is not None:
            # A weak tag never matches (RFC 9110, 13.1.5).
            tag = fields.get("ETag")
            is_same = condition == fields.get("Last-Modified") if not condition.startswith(
                ('"', "W/")) else condition == tag and not condition.startswith("W/")
            if not is_same:
                return None
        if not text.startswith("bytes="):
            return None
        start, _, last = text[6:].partition("-")
        if start == "":
            return max(0, entity.size - int(last)), entity.size
        first = int(start)
        end = min(entity.size, int(last) + 1) if last else entity.size
        return (first, end) if first < entity.size else "beyond"

    def head(self, status, fields):
        self.record["status"] = status
        self.send_response_only(status)
        for name, value in fields.items():
            self.send_header(name, value)
        if "header" in self.faults:
            name, _, value = self.faults["header"].partition(":")
            self.send_header(name, value)
        left = int(self.faults.get("head", 0))
        while left > 0:
            self.send_header("X-Padding", "x" * min(1000, left))
            left -= 1000
        self.end_headers()

    def answer(self, status, body, fields=None):
        fields = dict(fields or {})
        if body is not None:
            fields["Content-Length"] = str(len(body))
        if not hasattr(self, "faults") or self.path.startswith("/_"):
            self.faults, self.record = {}, {"bytes": 0}
        self.head(status, fields)
        if body:
            self.write(body)

    def write(self, data):
        # Counted before, so that whoever has the body finds it counted.
        self.record["bytes"] += len(data)
        self.record.setdefault("began", time.monotonic_ns())
        try:
            self.wfile.write(data)
        except OSError:
            self.record["bytes"] -= len(data)
            raise

    def send_chunk(self, data):
        self.wfile.write(b"%x\r\n" % len(data))
        self.write(data)
        self.wfile.write(b"\r\n")

    def send_chunks(self, entity, before):
        is_endless = "endless" in self.faults
        blocks = entity.blocks(0, entity.size)
        if is_endless:
            blocks = (data for _ in iter(int, 1) for data in entity.blocks(0, entity.size))
        if self.send_blocks(blocks, sys.maxsize if is_endless else entity.size, before,
                            self.send_chunk):
            self.wfile.write(b"0\r\n\r\n")

    def send_body(self, entity, first, end, before):
        self.send_blocks(self.blocks(entity, first, end), end - first, before, self.write)

    def blocks(self, entity, first, end):
        start, _, limit = self.faults.get("hold", f"{end}-{end}").partition("-")
        limit, state = min(end, int(limit)), self.server.state
        while True:
            with state.changed:
                held = max(int(start), state.released)
                if first < limit and first >= held:
                    state.changed.wait_for(lambda: state.is_broken or state.released > first)
                    if state.is_broken:
                        raise ConnectionResetError
                    continue
            stop = end if first >= limit else min(limit, max(first, held))
            yield from entity.blocks(first, stop)
            if stop == end:
                return
            first = stop

    def send_blocks(self, blocks, size, before, send):
        """Sends a body of `size` bytes; returns whether all of it was sent."""
        faults = self.faults
        stop, wait = size, 0
        if "drop" in faults and before < int(faults.get("times", sys.maxsize)):
            stop = min(stop, int(faults["drop"]))
        if "short" in faults:
            stop, wait = min(stop, size // 2), 30
        if "stall" in faults:
            stop, wait = min(stop, int(faults["stall"])), 3600
        rate = int(faults.get("rate", 0))
        began, left = time.monotonic(), stop
        for data in blocks:
            data = data[:left]
            while data:
                part = data[:max(1, rate // 20)] if rate else data
                data, left = data[len(part):], left - len(part)
                send(part)
                if rate:
                    time.sleep(max(0, began + (stop - left) / rate - time.monotonic()))
            if left == 0:
                break
        if stop == size:
            return True
        self.close_connection = True
        if wait:
            # Until the client closes the connection, which makes it readable.
            select.select([self.connection], [], [], wait)
        return False


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, *_):
        pass


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--tls", nargs=2, metavar=("CERTIFICATE", "KEY"))
    parser.add_argument("--until-eof", action="store_true", help="end with the standard input")
    options = parser.parse_args()
    server = Server(("127.0.0.1", options.port), Handler)
    server.folder, server.state = options.folder, State()
    if options.tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*options.tls)
        server.socket = context.wrap_socket(
            server.socket, server_side=True, do_handshake_on_connect=False)
    print(server.server_address[1], flush=True)
    if options.until_eof:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        sys.stdin.buffer.read()
    else:
        server.serve_forever()


main()
