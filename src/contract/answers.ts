import { Type } from 'typebox';

/** The answers of calls that have no resource to show. */
export const NoContent = Type.Unsafe<void>({ type: 'null', description: 'Done. There is no body.' });
export const Redirect = Type.Unsafe<void>({
  type: 'null',
  description: 'Found at the address in the header Location.',
});
