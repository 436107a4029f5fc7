import { expect, it } from 'vitest';
import { messageOf } from '../../../src/lib/message-of.ts';

it.each([
  [new Error('no room'), 'no room'],
  [Object.assign(new AggregateError([], ''), { code: 'ECONNREFUSED' }), 'ECONNREFUSED'],
  [new AggregateError([], ''), 'AggregateError'],
  ['words', 'words'],
  [undefined, 'undefined'],
])('of %s', (error, message) => {
  expect(messageOf(error)).toBe(message);
});
