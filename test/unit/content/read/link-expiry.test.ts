import { expect, it } from 'vitest';
import { usableUntilMs } from '../../../../src/content/read/link-expiry.ts';

const NOW = Date.UTC(2024, 0, 31, 12, 0, 0);
const MINUTE = 60_000;

it.each([
  ['our own expiry', `http://store/a?expires=${NOW / 1000 + 7200}&signature=x`, 119],
  ['that of S3', 'https://s3/b/k?X-Amz-Date=20240131T115500Z&X-Amz-Expires=900&X-Amz-Signature=x', 9],
  ['that of GCS', 'https://gcs/b/k?X-Goog-Date=20240131T115500Z&X-Goog-Expires=900&X-Goog-Signature=x', 9],
  ['none', 'https://store/a?signature=x', 60],
  ['none and no query', 'https://store/expires=1', 60],
  ['one that cannot be read', 'https://store/a?expires=soon', 60],
  ['one that is over by our clock', `https://store/a?expires=${NOW / 1000 - 5}`, 60],
])('a link with %s is used until a minute before, or for an hour', (_, url, minutes) => {
  expect((usableUntilMs(url, NOW) - NOW) / MINUTE).toBe(minutes);
});
