import { expect, it } from 'vitest';
import { loadS3 } from '../../../../../src/service/storage/s3/load-s3.ts';

it('says what to install when the packages are missing', async () => {
  const missing = Object.assign(new Error("Cannot find package '@aws-sdk/client-s3'"), {
    code: 'ERR_MODULE_NOT_FOUND',
  });
  await expect(loadS3(() => Promise.reject(missing))).rejects.toThrow('npm install @aws-sdk/client-s3');
});

it('hides no other failure', async () => {
  await expect(loadS3(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
});
