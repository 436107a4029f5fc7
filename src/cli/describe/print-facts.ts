import { printable } from '../../lib/printable.ts';

/** Prints what is known of one thing: a name and a value a line. An empty value is left out; a text of several lines goes on below. */
export function printFacts(facts: readonly (readonly [name: string, value: string])[]): void {
  const shown = facts.filter(([, value]) => value !== '');
  const width = Math.max(...shown.map(([name]) => name.length)) + 2;
  for (const [name, value] of shown) {
    const [first = '', ...others] = value.split('\n').map(printable);
    console.log(`${name.padEnd(width)}${first}`);
    for (const line of others) console.log(`${' '.repeat(width)}${line}`.trimEnd());
  }
}
