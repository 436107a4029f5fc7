import { requireAddon } from './require-addon.ts';

/** The calls of one concern of the addon; undefined where the addon was not built: all callers work without it. */
export function optionalAddon<Calls>(
  concern: 'md5' | 'blocks' | 'memory' | 'socket' | 'files' | 'tls',
): Calls | undefined {
  try {
    const addon = requireAddon() as Readonly<Record<typeof concern, Calls>>;
    return addon[concern];
  } catch {
    return undefined;
  }
}
