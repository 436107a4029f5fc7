import { createRequire } from 'node:module';

/** The same relative place from src/lib and from dist/lib. */
const BUILT = '../../native/build';

/** One of the addons that `native/Makefile` builds; undefined where it was not built: all that uses it works without. */
export function optionalAddon<Addon>(name: 'md5' | 'blocks' | 'memory' | 'socket'): Addon | undefined {
  try {
    return createRequire(import.meta.url)(`${BUILT}/${name}.node`) as Addon;
  } catch {
    return undefined;
  }
}
