/**
 * A condition on files, as `svcfs find` and the directories below `.svcfs/find` take it:
 *
 *   key=v  key!=v  key<v  key<=v  key>v  key>=v  key~glob  key  !key       and of values, `a|b` is either
 *
 * A field of the platform goes by its name (`size`) or that with `svc.` before it. Every other name is a metadata key; one
 * that is named as a field, or begins with `svc.` or `key.`, has `key.` before it. `%` with two hexadecimal digits is a character
 * that would mean something, or that no name of a directory can hold: `%2F`, `%7C`, `%25`.
 */

import { bytesOf, hasOrder } from './quantity.ts';

export const FIELDS = ['name', 'path', 'size', 'type', 'tag', 'created', 'task'] as const;
export type Field = (typeof FIELDS)[number];

export const COMPARISONS = ['!=', '<=', '>=', '=', '<', '>', '~'] as const;
export type Comparison = (typeof COMPARISONS)[number];

export type Subject =
  | { readonly kind: 'field'; readonly field: Field }
  | { readonly kind: 'key'; readonly key: string };

export type Term = { readonly subject: Subject } & (
  | { readonly test: 'present' | 'absent' }
  /** Each value as it was written: `~` takes an escaped character for itself. */
  | { readonly test: Comparison; readonly values: readonly string[] }
);

/** A text is no condition. */
export class TermError extends Error {
  override readonly name = 'TermError';
}

/** @throws TermError */
export function parseTerm(text: string): Term {
  const [, name = '', test, value = ''] = /^(.+?)(!=|<=|>=|=|<|>|~)(.*)$/su.exec(text) ?? [];
  if (test !== undefined && !name.startsWith('!')) {
    const term = { subject: subjectOf(name, text), test: test as Comparison, values: value.split('|') };
    requireOrder(term, text);
    return term;
  }
  const isAbsence = text.startsWith('!');
  const subject = subjectOf(isAbsence ? text.slice(1) : text, text);
  return { subject, test: isAbsence ? 'absent' : 'present' };
}

/** Without an order no file would ever meet it, and nothing would tell why. */
function requireOrder(
  {
    subject,
    test,
    values,
  }: { readonly subject: Subject; readonly test: Comparison; readonly values: readonly string[] },
  text: string,
): void {
  if (!test.startsWith('<') && !test.startsWith('>')) return;
  const isSize = subject.kind === 'field' && subject.field === 'size';
  const wrong = values.find((value) => !hasOrder(isSize ? bytesOf(value) : decode(value)));
  if (wrong === undefined) return;
  const wanted = isSize ? 'a size (500, 10K, 1.5G)' : 'a number or a date (10, 1.5, 2026-05-31)';
  throw new TermError(`${text}: ${test} takes ${wanted}, and '${wrong}' is none`);
}

export function decode(text: string): string {
  return text.replace(/%([0-7][0-9a-f])/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/** The field or key of a condition alone. @throws TermError */
export function parseSubject(name: string): Subject {
  return subjectOf(name, name);
}

function subjectOf(name: string, text: string): Subject {
  if (name.startsWith('key.')) return keyOf(decode(name.slice('key.'.length)), text);
  const isFact = name.startsWith('svc.');
  const plain = isFact ? name.slice('svc.'.length) : name;
  const field = FIELDS.find((each) => each === plain);
  if (field !== undefined) return { kind: 'field', field };
  if (isFact)
    throw new TermError(
      `${text}: no field ${name}; there are ${FIELDS.map((each) => `svc.${each}`).join(', ')}`,
    );
  return keyOf(decode(name), text);
}

function keyOf(key: string, text: string): Subject {
  if (key === '' || /[=<>~!]/.test(key))
    throw new TermError(
      `${text || 'an empty text'}: no condition: write KEY, !KEY, KEY=VALUE, KEY~GLOB or KEY>NUMBER`,
    );
  return { kind: 'key', key };
}
