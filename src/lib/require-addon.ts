import { createRequire } from 'node:module';
import { join } from 'node:path';
import { PACKAGE_ROOT } from './package-root.ts';

/** What was compiled here, and what a package from npm brings. */
const BUILT = join(PACKAGE_ROOT, 'native/build/svcfs.node');
const BROUGHT = join(PACKAGE_ROOT, `native/prebuilds/${process.platform}-${process.arch}/svcfs.node`);

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
