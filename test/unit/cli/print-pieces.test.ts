import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { run } from '../../support/run.ts';

const LOADER = new URL('../../support/run-typescript.mjs', import.meta.url).href;
const PRINT_PIECES = fileURLToPath(new URL('../../../src/cli/print-pieces.ts', import.meta.url));
const LINES = 500_000;

const PRINT_LINES = `
  import { printPieces } from ${JSON.stringify(PRINT_PIECES)};
  // As every command does (src/cli/run.ts).
  process.stdout.on('error', () => {});
  await printPieces((function* () { for (let line = 0; line < ${LINES}; line++) yield line + '\\n'; })());
`;

function printTo(reader: string) {
  const script = `node --import ${LOADER} --input-type=module -e "$0" | ${reader}; echo "exit \${PIPESTATUS[0]}"`;
  return run('bash', ['-c', script, PRINT_LINES]);
}

it.each([
  ['one that goes away has heard enough', 'head -n 1', '0\nexit 0\n'],
  ['one that stays is told all', 'wc -l', `${LINES}\nexit 0\n`],
])('%s', async (_, reader, stdout) => {
  expect(await printTo(reader)).toMatchObject({ stdout, stderr: '' });
});
