import { styleText } from 'node:util';
import { printable } from '../../lib/printable.ts';
import type { Finding } from '../finding.ts';
import { isHealthy } from './mount-health.ts';

/** Lines for a person: one word, then what is wrong and what helps. */
export function describeHealth(findings: readonly Finding[], stream: NodeJS.WriteStream): readonly string[] {
  const healthy = isHealthy(findings);
  const word = styleText(healthy ? 'green' : 'red', healthy ? 'healthy' : 'not healthy', { stream });
  return [`health: ${word}`, ...findings.flatMap((finding) => describe(finding, stream))];
}

function describe({ check, state, found, remedy }: Finding, stream: NodeJS.WriteStream): readonly string[] {
  const word =
    state === 'fault' ? styleText('red', 'FAULT', { stream }) : styleText('yellow', 'warning', { stream });
  const line = `  ${word} ${printable(`${check}: ${found}`)}`;
  return remedy === undefined ? [line] : [line, `    ${printable(remedy)}`];
}
