/**
 * A program: prints how many inputs, begun together, had a digest that was not right. Nothing when all were. Its argument is
 * the module `lib/md5` to try, as source or compiled.
 */
import { createHash, randomBytes } from 'node:crypto';

const { createMd5 } = (await import(process.argv[2] ?? '')) as typeof import('../../src/lib/md5.ts');

for (let count = 1; count <= 20; count += 1) {
  // Of one length, but for the last: so that all lanes stay full, and then are not.
  const inputs = Array.from({ length: count }, (_, index) => randomBytes(index === count - 1 ? 7777 : 4096));
  const digests = await Promise.all(inputs.map(digestOf));
  const wrong = inputs.filter(
    (input, index) => createHash('md5').update(input).digest('hex') !== digests[index],
  );
  if (wrong.length > 0) process.stdout.write(`${wrong.length} of ${count}\n`);
}

function digestOf(input: Buffer): Promise<string> {
  const md5 = createMd5();
  const digest = md5.end(input);
  md5.hurry();
  return digest;
}
