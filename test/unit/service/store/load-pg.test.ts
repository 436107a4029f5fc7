import { expect, test } from 'vitest';
import { loadPg } from '../../../../src/service/store/load-pg.ts';

test('without the optional package, one is told how to get it', async () => {
  const missing = Object.assign(new Error("Cannot find package 'pg'"), { code: 'ERR_MODULE_NOT_FOUND' });
  await expect(loadPg(() => Promise.reject(missing))).rejects.toThrow('npm install pg');
});

test('a package that is broken is not called missing', async () => {
  const broken = new Error('broken');
  await expect(loadPg(() => Promise.reject(broken))).rejects.toBe(broken);
});

test('the package that is installed has pools', async () => {
  expect((await loadPg()).Pool).toBeTypeOf('function');
});
