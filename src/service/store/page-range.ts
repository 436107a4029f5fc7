/** Which part of a collection to return. */
export interface PageRange {
  readonly offset: number;
  readonly limit: number;
}

/** A part of a collection, and how many there are in all. */
export interface RowPage<Row> {
  readonly rows: Row[];
  readonly total: number;
}
