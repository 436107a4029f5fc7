import { type Static, Type } from 'typebox';

/** An exact amount: a decimal number as text, such as `12.34`. */
export const Money = Type.Object({ currency: Type.String(), amount: Type.String() });
export type Money = Static<typeof Money>;

/** The cost of a task and of its parts; exact amounts. */
export const Cost = Type.Object({
  ...Money.properties,
  breakdown: Type.Object({ computation: Type.String(), storage: Type.String() }),
});
export type Cost = Static<typeof Cost>;
