#!/usr/bin/python3
"""Makes a server of this machine a distant one: distant.py PORT [--delay MS] [--loss PERCENT]
[--rate BYTES]

Prints its own port on the first line, and passes on what it gets from and to PORT of the loopback:
each way MS later, no faster than BYTES a second for a connection, and, where a segment of 1,448 bytes
is lost, with all behind it one round trip later, as TCP's fast retransmission does. Ends with its
input.
"""
import argparse
import asyncio
import os
import random
import socket
import sys

SEGMENT = 1448


class Line:
    """One direction of a connection."""

    def __init__(self, options, greeting):
        self.options, self.due = options, 0.0
        self.extra = greeting
        self.queue = asyncio.Queue()

    async def read(self, reader):
        loop = asyncio.get_running_loop()
        while True:
            try:
                data = await reader.read(4 * SEGMENT)
            except OSError:
                data = b""
            delay = self.options.delay / 1000
            lost = sum(random.random() * 100 < self.options.loss
                       for _ in range((len(data) + SEGMENT - 1) // SEGMENT))
            due = loop.time() + delay + self.extra
            self.extra = 0
            self.due = max(due, self.due) + lost * 2 * delay + len(data) / self.options.rate
            await self.queue.put((self.due, data))
            # As a window would: no more lies on the line than comes in a round trip.
            await asyncio.sleep(max(0, self.due - loop.time() - 2 * delay))
            if not data:
                return

    async def write(self, writer):
        loop = asyncio.get_running_loop()
        while True:
            due, data = await self.queue.get()
            await asyncio.sleep(max(0, due - loop.time()))
            if not data:
                return writer.close()
            writer.write(data)
            try:
                await writer.drain()
            except OSError:
                return None


async def serve(options):
    async def connect(reader, writer):
        line = socket.socket()
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
        line.setblocking(False)
        await asyncio.get_running_loop().sock_connect(line, ("127.0.0.1", options.port))
        near, far = await asyncio.open_connection(sock=line)
        # A connection costs a round trip before its first byte.
        there, back = Line(options, 2 * options.delay / 1000), Line(options, 0)
        await asyncio.gather(
            there.read(reader), there.write(far), back.read(near), back.write(writer))
        far.close()
        writer.close()

    server = await asyncio.start_server(connect, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    os._exit(0)


parser = argparse.ArgumentParser()
parser.add_argument("port", type=int)
parser.add_argument("--delay", type=float, default=25)
parser.add_argument("--loss", type=float, default=0)
parser.add_argument("--rate", type=float, default=4e6)
asyncio.run(serve(parser.parse_args()))
