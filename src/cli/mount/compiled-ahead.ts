import { setFlagsFromString } from 'node:v8';

/**
 * Loads modules with all of their functions compiled, which the engine otherwise does when each is first called
 * (V8's flag-definitions.h, `lazy`): a mount would do so while its first file is waited for.
 */
export async function compiledAhead<Module>(load: () => Promise<Module>): Promise<Module> {
  setFlagsFromString('--no-lazy');
  try {
    return await load();
  } finally {
    setFlagsFromString('--lazy');
  }
}
