import { createRequire } from 'node:module';

/** The same relative places from src/lib and from dist/lib: what was compiled here, and what a package from npm brings. */
const BUILT = '../../native/build/svcfs.node';
const BROUGHT = `../../native/prebuilds/${process.platform}-${process.arch}/svcfs.node`;

/**
 * The native addon (src/decisions/0002-native-build.md).
 *
 * @throws the error of the addon that was built here, unless the other one loads
 */
export function requireAddon(): unknown {
  const require = createRequire(import.meta.url);
  try {
    return require(BUILT);
  } catch (error) {
    try {
      return require(BROUGHT);
    } catch {
      throw error;
    }
  }
}
