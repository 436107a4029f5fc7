import { describe, expect, it } from 'vitest';
import {
  checkEndpoint,
  parseS3Endpoint,
  storeIdentity,
} from '../../../../../src/service/storage/s3/s3-endpoint.ts';

describe('the endpoint of a store', () => {
  it.each([
    ['https://s3.amazonaws.com', undefined],
    ['https://s3.eu-central-1.amazonaws.com', 'eu-central-1'],
    ['https://s3-us-west-2.amazonaws.com', 'us-west-2'],
    ['https://s3.dualstack.ap-southeast-2.amazonaws.com', 'ap-southeast-2'],
    ['https://s3.us-gov-west-1.amazonaws.com', 'us-gov-west-1'],
    ['https://s3.cn-north-1.amazonaws.com.cn', 'cn-north-1'],
  ])('%s is AWS, in its region', (url, region) => {
    expect(parseS3Endpoint(url)).toEqual({ url: undefined, region, pathStyle: false });
  });

  it.each(['https://s3.lab.example.org', 'http://127.0.0.1:9000/base', 'https://s3.amazonaws.com.evil.org'])(
    '%s is a store of its own, with the bucket in the path',
    (url) => expect(parseS3Endpoint(url)).toEqual({ url, region: undefined, pathStyle: true }),
  );

  it('tells stores apart, and AWS from none of its regions', () => {
    const identity = (url: string): string => storeIdentity(parseS3Endpoint(url));
    expect(identity('https://s3.amazonaws.com')).toBe(identity('https://s3.eu-west-1.amazonaws.com'));
    expect(identity('https://one.org:9000/')).toBe(identity('https://one.org:9000'));
    expect(identity('https://one.org')).not.toBe(identity('http://one.org'));
    expect(identity('https://one.org')).not.toBe(identity('https://two.org'));
  });

  it('is refused when it is a metadata address', () => {
    expect(() => checkEndpoint('http://169.254.169.254/latest', [])).toThrow('metadata');
    expect(() => checkEndpoint('http://169.254.169.254', ['169.254.0.0/16'])).not.toThrow();
  });
});
