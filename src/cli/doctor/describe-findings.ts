import { styleText } from 'node:util';
import { printable } from '../../lib/printable.ts';
import type { Finding, FindingState } from '../finding.ts';
import type { Examination } from './examine.ts';

const WORDS: Readonly<Record<FindingState, string>> = {
  ok: 'ok',
  warning: 'warning',
  fault: 'FAULT',
  unknown: '?',
};
const COLOURS = { ok: 'green', warning: 'yellow', fault: 'red', unknown: 'gray' } as const;
const WORD_COLUMN = 9;
const INDENT = '  ';

/** Lines for a person: each group below its name, each remedy below what it is for. */
export function describeExamination(examination: Examination, stream: NodeJS.WriteStream): readonly string[] {
  const groups = Object.entries(examination).filter(([, findings]) => findings.length > 0);
  return [
    ...groups.flatMap(([name, findings]) => [name, ...findings.flatMap((each) => describe(each, stream))]),
    summaryOf(Object.values(examination).flat()),
  ];
}

function describe({ check, state, found, remedy }: Finding, stream: NodeJS.WriteStream): readonly string[] {
  const word = styleText(COLOURS[state], WORDS[state].padEnd(WORD_COLUMN), { stream });
  const line = `${INDENT}${word}${printable(`${check}: ${found}`)}`;
  return remedy === undefined
    ? [line]
    : [line, `${INDENT}${' '.repeat(WORD_COLUMN)}${INDENT}${printable(remedy)}`];
}

function summaryOf(findings: readonly Finding[]): string {
  const count = (state: FindingState): number => findings.filter((each) => each.state === state).length;
  const [faults, warnings, unknown] = [count('fault'), count('warning'), count('unknown')];
  if (faults + warnings + unknown === 0) return 'all is well';
  return [
    `${faults} ${faults === 1 ? 'fault' : 'faults'}`,
    `${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`,
    ...(unknown > 0 ? [`${unknown} not looked at`] : []),
  ].join(', ');
}

/** For programs: one list, with the group of each. */
export function findingsOf(examination: Examination): readonly object[] {
  return Object.entries(examination).flatMap(([group, findings]) =>
    findings.map(({ check, state, found, remedy, fix }) => ({
      group,
      check,
      state,
      found,
      remedy: remedy ?? null,
      fixable: fix !== undefined,
    })),
  );
}
