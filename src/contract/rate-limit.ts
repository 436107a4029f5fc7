import { type Static, Type } from 'typebox';

export const RateLimitResource = Type.Object({
  rate: Type.Object({
    limit: Type.Integer(),
    remaining: Type.Integer(),
    /** Unix seconds at which the window ends. */
    reset: Type.Integer(),
  }),
  /** Running instances; -1 means no limit. */
  instance_limit: Type.Object({ limit: Type.Integer(), remaining: Type.Number() }),
});
export type RateLimitResource = Static<typeof RateLimitResource>;
