import { type Static, Type } from 'typebox';
import { Nullable, RequestBody } from './schema-kinds.ts';

/** A person's message about the platform. The public client sends the types IDEA, THOUGHT and PROBLEM. */
export const FeedbackBody = RequestBody({
  type: Type.Optional(Type.String({ maxLength: 100 })),
  text: Type.String({ minLength: 1, maxLength: 10_000 }),
  /** Where the person was when it occurred to them. */
  referrer: Type.Optional(Nullable(Type.String({ maxLength: 2000 }))),
});
export type FeedbackBody = Static<typeof FeedbackBody>;
