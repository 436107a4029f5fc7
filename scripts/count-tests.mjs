/**
 * Prints `N passed, N failed` and exits with 1 unless tests ran and all passed.
 *
 *   count-tests.mjs REPORT VITEST_EXIT CHECKS_PASSED CHECKS_FAILED [pass]
 *
 * REPORT is what vitest's json reporter wrote. A test file that could not be loaded counts as one failure, and so
 * does a run that ended badly without naming a failed test (a crash, an unhandled rejection). A run without tests fails, unless
 * told to `pass`.
 */
import { readFileSync } from 'node:fs';

const [report = '', vitestExit, checksPassed, checksFailed, none] = process.argv.slice(2);
let [passed, failed] = [Number(checksPassed), Number(checksFailed)];

const results = readReport(report);
const testsPassed = results?.numPassedTests ?? 0;
const unloadable = (results?.testResults ?? []).filter(
  (file) => file.status === 'failed' && file.assertionResults.every((test) => test.status !== 'failed'),
).length;
let testsFailed = (results?.numFailedTests ?? 0) + unloadable;
if (testsFailed === 0 && (Number(vitestExit) !== 0 || (testsPassed === 0 && none !== 'pass')))
  testsFailed = 1;

passed += testsPassed;
failed += testsFailed;
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;

function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}
