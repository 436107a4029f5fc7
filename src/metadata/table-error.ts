/** A place in a table that cannot be used, and why. */
export interface Problem {
  /** Of the row; undefined: of the table. */
  readonly row?: number | undefined;
  readonly column?: string | undefined;
  readonly text: string;
}

/** A table was refused as a whole: nothing was sent. */
export class TableError extends Error {
  override readonly name = 'TableError';
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(problems.map(describeProblem).join('; '));
    this.problems = problems;
  }
}

export function describeProblem({ row, column, text }: Problem): string {
  return [row === undefined ? undefined : `row ${row}`, column, text]
    .filter((part) => part !== undefined)
    .join(': ');
}

export function refuseTable(text: string, at: Omit<Problem, 'text'> = {}): never {
  throw new TableError([{ ...at, text }]);
}
