import { setFlagsFromString } from 'node:v8';

/**
 * Loads modules with all of their functions compiled. The engine otherwise compiles a function at its first call (V8's
 * flag-definitions.h, `lazy`): while a program waits for the first file of the mount.
 */
export async function compiledAhead<Module>(load: () => Promise<Module>): Promise<Module> {
  setFlagsFromString('--no-lazy');
  try {
    return await load();
  } finally {
    setFlagsFromString('--lazy');
  }
}
