import type { IncomingMessage } from 'node:http';
import { messageOf } from '../../../lib/message-of.ts';
import type { Deed, Deeds } from '../live/deeds.ts';

/** Some paths, and no more. */
const MOST_BODY_BYTES = 64 * 1024;

export interface PostAnswer {
  readonly status: number;
  readonly body: { readonly said: string } | { readonly failed: string };
}

/** Does what a POST asks for. Undefined: there is nothing of that name. Never rejects. */
export async function doPost(
  request: IncomingMessage,
  name: string,
  deeds: Deeds,
): Promise<PostAnswer | undefined> {
  const work = deeds.named(name);
  if (work === undefined) return undefined;
  try {
    const deed = await readDeed(request);
    if (deed === undefined)
      return { status: 400, body: { failed: 'an object of JSON is expected, of at most 64 KiB' } };
    return { status: 200, body: { said: await work(deed) } };
  } catch (error) {
    return { status: 409, body: { failed: messageOf(error) } };
  }
}

async function readDeed(request: IncomingMessage): Promise<Deed | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += (chunk as Buffer).length;
    if (bytes > MOST_BODY_BYTES) return undefined;
    chunks.push(chunk as Buffer);
  }
  try {
    const value: unknown = JSON.parse(Buffer.concat(chunks).toString());
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Deed) : undefined;
  } catch {
    return undefined;
  }
}
