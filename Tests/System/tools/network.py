"""A network between two programs, which can be cut, stalled and refused."""

import asyncio
import threading

from tools.programs import PATIENCE


class Loop:
    """An asyncio loop on a thread of its own."""

    def __init__(self):
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()

    def run(self, coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(PATIENCE)

    def call(self, function, *arguments):
        self.loop.call_soon_threadsafe(function, *arguments)

    def close(self):
        async def finish():
            tasks = asyncio.all_tasks() - {asyncio.current_task()}
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

        self.run(finish())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()


class Proxy(Loop):
    """A network to a port: it can be cut, stalled, refused, and has a delay."""

    def __init__(self, target, delay=0.0):
        super().__init__()
        self.target, self.delay, self.refuses, self.writers = target, delay, False, set()
        self.flows = None
        self.port = self.run(self.listen())

    async def listen(self):
        self.flows = asyncio.Event()
        self.flows.set()
        server = await asyncio.start_server(self.serve, "127.0.0.1", 0)
        return server.sockets[0].getsockname()[1]

    async def serve(self, reader, writer):
        try:
            if self.refuses:
                raise OSError("refused")
            there, back = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            writer.transport.abort()
            return
        self.writers |= {writer, back}
        await asyncio.gather(self.pump(reader, back), self.pump(there, writer), return_exceptions=True)
        self.writers -= {writer, back}

    async def pump(self, reader, writer):
        queue = asyncio.Queue(256)

        async def drain():
            while True:
                due, data = await queue.get()
                if data is None:
                    writer.close()
                    return
                await asyncio.sleep(max(0, due - self.loop.time()))
                await self.flows.wait()
                writer.write(data)
                await writer.drain()

        task = asyncio.create_task(drain())
        try:
            while data := await reader.read(65536):
                await self.flows.wait()
                await queue.put((self.loop.time() + self.delay, data))
        except OSError:
            pass
        await queue.put((0, None))
        await asyncio.gather(task, return_exceptions=True)

    def cut(self):
        def abort():
            for writer in list(self.writers):
                writer.transport.abort()
            self.flows.set()
        self.call(abort)

    def stall(self):
        self.call(self.flows.clear)

    def go(self):
        self.call(self.flows.set)

    def refuse(self, yes=True):
        self.refuses = yes
        if yes:
            self.cut()
