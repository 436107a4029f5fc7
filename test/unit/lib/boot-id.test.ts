import { expect, it } from 'vitest';
import { bootId } from '../../../src/lib/boot-id.ts';

it('a run of the machine has one id', async () => {
  const id = await bootId();
  expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i);
  expect(await bootId()).toBe(id);
});
