import type { Compilable, CompiledQuery, Kysely } from 'kysely';
import type { Schema } from './schema.ts';

/** Stands for a value while the query is compiled. */
class Parameter {
  readonly name: PropertyKey;

  constructor(name: PropertyKey) {
    this.name = name;
  }
}

/** What a query is built with: its parameters, which are of the types they will have. */
export type ParameterOf<Values> = <Name extends keyof Values>(name: Name) => Values[Name];

/**
 * A query that calls ask over and over. It is built and compiled when it is first asked: to do so each time takes longer
 * than SQLite takes to answer.
 */
export class PreparedQuery<Values extends object, Row> {
  readonly #build: (parameter: ParameterOf<Values>) => Compilable<Row>;
  #compiled: CompiledQuery<Row> | undefined;

  constructor(build: (parameter: ParameterOf<Values>) => Compilable<Row>) {
    this.#build = build;
  }

  async all(db: Kysely<Schema>, values: Values): Promise<Row[]> {
    this.#compiled ??= this.#build((name) => new Parameter(name) as never).compile();
    const parameters = this.#compiled.parameters.map((value) =>
      value instanceof Parameter ? values[value.name as keyof Values] : value,
    );
    const { rows } = await db.executeQuery<Row>({ ...this.#compiled, parameters });
    return rows;
  }

  async first(db: Kysely<Schema>, values: Values): Promise<Row | undefined> {
    const [row] = await this.all(db, values);
    return row;
  }
}
