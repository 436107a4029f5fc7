import type { Readable } from 'node:stream';

/**
 * Gives every chunk of a stream to `take`, and waits when it answers a promise. Resolves at the end. A failure of either
 * rejects, and leaves the stream open: destroying a request would close its connection before it is answered.
 *
 * Half the cost of `for await`, which reads through a queue and a promise for each chunk.
 */
export function forEachChunk(
  stream: Readable,
  take: (chunk: Buffer) => Promise<void> | undefined,
): Promise<void> {
  const early = (): Error => new Error('the stream was closed before its end');
  // A listener from now on would hear nothing.
  if (stream.closed) return Promise.reject(stream.errored ?? early());
  return new Promise((resolve, reject) => {
    let taken = Promise.resolve();
    const settle = (conclude: () => void): void => {
      stream.off('data', onData);
      stream.off('end', onEnd);
      stream.off('error', fail);
      stream.off('close', onClose);
      conclude();
    };
    const fail = (reason: unknown): void => settle(() => reject(reason));
    // A stream may end while it is paused.
    const onEnd = (): void => void taken.then(() => settle(resolve), fail);
    const onClose = (): void => {
      if (!stream.readableEnded) fail(early());
    };
    const onData = (chunk: Buffer): void => {
      try {
        const taking = take(chunk);
        if (taking === undefined) return;
        taken = taking;
        stream.pause();
        taking.then(() => stream.resume(), fail);
      } catch (error) {
        fail(error);
      }
    };
    stream.on('end', onEnd);
    stream.on('error', fail);
    stream.on('close', onClose);
    stream.on('data', onData);
  });
}
