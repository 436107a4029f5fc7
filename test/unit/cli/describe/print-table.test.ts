import { expect, it } from 'vitest';
import { tableLines } from '../../../../src/cli/describe/print-table.ts';

const COLUMNS = {
  WHEN: ({ when }: { when: string }) => when,
  OBJECT: ({ object }: { object: string | null }) => object,
  END: () => 'end',
};
const lines = (object: string | null, width?: number) =>
  tableLines([{ when: '2026-01-01', object }], COLUMNS, width);

it('shows what a terminal would obey, and makes one line of each row', () => {
  const forged = 'evil\x1b[31m\n2026-01-02  root  user.create\r\x9b2J\u202etxt\u2028x\x7f';
  const [, row, ...others] = lines(forged);
  expect(others).toEqual([]);
  expect(row).toBe(
    String.raw`2026-01-01  evil\x1b[31m\x0a2026-01-02  root  user.create\x0d\x9b2J\u202etxt\u2028x\x7f  end`,
  );
});

it('makes columns as wide as they need to be, without trailing spaces', () => {
  expect(lines(null)).toEqual(['WHEN        OBJECT  END', '2026-01-01  -       end']);
  expect(lines('Ünïcødé 🧬')[0]).toBe('WHEN        OBJECT     END');
});

it('cuts the widest column to the width of a terminal, and nothing for a pipe', () => {
  const long = 'x'.repeat(200);
  for (const line of lines(long, 60)) expect([...line].length).toBeLessThanOrEqual(60);
  expect(lines(long, 60)[1]).toBe(`2026-01-01  ${'x'.repeat(42)}…  end`);
  expect(lines(long)[1]).toBe(`2026-01-01  ${long}  end`);
  expect(lines(long, 0), 'a terminal that does not know its width').toEqual(lines(long));
});

it('is no narrower than can be read, however narrow the terminal is', () => {
  expect(lines('x'.repeat(200), 5)[1]).toMatch(/^2026-01… {2}x{7}… {2}end$/);
});
