/**
 * Fails unless CHANGELOG.md has the form that its head names: Unreleased first, one line a change, and no release longer than a page.
 * Branches are merged by union, which brings back what was removed on one of them: that shows here.
 */
import { readFileSync } from 'node:fs';

const LONGEST_LINE = 200;
const LONGEST_RELEASE = 60;

const [, ...sections] = readFileSync(new URL('../CHANGELOG.md', import.meta.url), 'utf8').split(/^## /m);
const faults = sections.flatMap((section, index) => {
  const [title = '', ...lines] = section.trimEnd().split('\n');
  const texts = lines.filter((line) => line !== '');
  const odd = texts.find((line) => !/^(### |[-*] |[A-Z][^.:]*[.:]$)/.test(line));
  const long = texts.find((line) => line.length > LONGEST_LINE);
  return [
    ...(index === 0 && title !== 'Unreleased' ? ['its first section is not Unreleased'] : []),
    ...(index > 0 && !/^\d+\.\d+\.\d+ - \d{4}-\d\d-\d\d$/.test(title)
      ? [`'${title}' is no release with its date`]
      : []),
    ...(index > 0 && lines.length >= LONGEST_RELEASE
      ? [`${title} has more than ${LONGEST_RELEASE} lines`]
      : []),
    ...(odd === undefined ? [] : [`a change is one line, and this begins none: ${odd}`]),
    ...(long === undefined ? [] : [`longer than ${LONGEST_LINE} characters: ${long}`]),
  ];
});
for (const fault of faults) process.stderr.write(`CHANGELOG.md: ${fault}\n`);
process.exitCode = faults.length > 0 || sections.length === 0 ? 1 : 0;
