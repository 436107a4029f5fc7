import type { Compilable, CompiledQuery, Kysely } from 'kysely';
import type { Schema } from './schema.ts';

/** Stands for a value while the query is compiled. */
class Parameter {
  readonly name: PropertyKey;

  constructor(name: PropertyKey) {
    this.name = name;
  }
}

/** The parameters that a query is built with, which are of the types they will have. */
export type ParameterOf<Values> = <Name extends keyof Values>(name: Name) => Values[Name];

type Build<Values, Row> = (db: Kysely<Schema>, parameter: ParameterOf<Values>) => Compilable<Row>;

/**
 * A query that calls ask over and over. It is built and compiled when it is first asked: building it each time takes
 * longer than SQLite takes to answer. In a transaction it is built each time all the same, since stores are made anew for
 * it.
 */
export class PreparedQuery<Values extends object, Row> {
  readonly #db: Kysely<Schema>;
  readonly #build: Build<Values, Row>;
  #compiled: CompiledQuery<Row> | undefined;

  constructor(db: Kysely<Schema>, build: Build<Values, Row>) {
    this.#db = db;
    this.#build = build;
  }

  async all(values: Values): Promise<Row[]> {
    this.#compiled ??= this.#build(this.#db, (name) => new Parameter(name) as never).compile();
    const parameters = this.#compiled.parameters.map((value) =>
      value instanceof Parameter ? values[value.name as keyof Values] : value,
    );
    const { rows } = await this.#db.executeQuery<Row>({ ...this.#compiled, parameters });
    return rows;
  }

  async first(values: Values): Promise<Row | undefined> {
    const [row] = await this.all(values);
    return row;
  }
}
