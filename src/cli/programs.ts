import { join } from 'node:path';
import { PACKAGE_ROOT } from '../lib/package-root.ts';

/** A program that Node.js runs. scripts/build.mjs makes each of the file of its name in src/cli. */
const programOf = (name: string): string => join(PACKAGE_ROOT, 'dist', 'cli', `${name}.js`);

/** The command `svcfs`. */
export const MAIN = programOf('main');
export const DAEMON = programOf('daemon');
export const WATCHDOG = programOf('watchdog');
