import { type Static, Type } from 'typebox';
import { JOB_WAIT_SECONDS_MAX } from './limits.ts';

/** State of an import or export. */
export const StorageJobState = Type.Union([
  Type.Literal('PENDING'),
  Type.Literal('RUNNING'),
  Type.Literal('COMPLETED'),
  Type.Literal('FAILED'),
]);
export type StorageJobState = Static<typeof StorageJobState>;

/** Fields of an item of the lists of imports and exports when `fields` is not given. */
export const STORAGE_JOB_LIST_FIELDS = ['href', 'id', 'state'] as const;

/** Capability `job_wait`: answer on the first change of state, or after so many seconds. */
export const JobQuery = Type.Object({
  wait: Type.Optional(Type.Number({ minimum: 0, maximum: JOB_WAIT_SECONDS_MAX })),
  fields: Type.Optional(Type.String()),
});
export type JobQuery = Static<typeof JobQuery>;
