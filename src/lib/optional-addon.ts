import { createRequire } from 'node:module';

/** The same relative place from src/lib and from dist/lib. */
const ADDON = '../../native/build/svcfs.node';

/** The calls of one concern of the addon; undefined where the addon was not built: all callers work without it. */
export function optionalAddon<Calls>(concern: 'md5' | 'blocks' | 'memory' | 'socket'): Calls | undefined {
  try {
    const addon = createRequire(import.meta.url)(ADDON) as Readonly<Record<typeof concern, Calls>>;
    return addon[concern];
  } catch {
    return undefined;
  }
}
