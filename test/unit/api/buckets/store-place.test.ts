import { expect, it } from 'vitest';
import { storePlace } from '../../../../src/api/buckets/s3-client.ts';

const access = {
  volume: 'lab/data',
  keys: { profile: 'lab' },
  endpoint: undefined,
  region: undefined,
  pathStyle: undefined,
  place: '[volume:lab/data]',
};

it.each([
  [undefined, { url: undefined, region: undefined, pathStyle: false }],
  ['', { url: undefined, region: undefined, pathStyle: false }],
  ['s3.amazonaws.com', { url: undefined, region: undefined, pathStyle: false }],
  ['https://s3.eu-west-1.amazonaws.com', { url: undefined, region: 'eu-west-1', pathStyle: false }],
  ['https://store.example:9000', { url: 'https://store.example:9000', region: undefined, pathStyle: true }],
])('a volume whose endpoint is %s is reached there', (endpoint, place) => {
  expect(storePlace(access, endpoint)).toEqual(place);
});

it('what the keys say goes before what the volume says', () => {
  const own = { ...access, endpoint: 'http://127.0.0.1:9000', region: 'lab', pathStyle: false };
  expect(storePlace(own, 's3.amazonaws.com')).toEqual({
    url: 'http://127.0.0.1:9000',
    region: 'lab',
    pathStyle: false,
  });
});
