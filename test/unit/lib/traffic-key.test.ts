import { expect, it } from 'vitest';
import { trafficKey } from '../../../src/lib/traffic-key.ts';

it('is that of RFC 8448, 3, for the secret of its server', () => {
  const secret = Buffer.from('a11af9f05531f856ad47116b45a950328204b4f44bfb6b3a4b4f1f3fcb631643', 'hex');
  const { key, iv } = trafficKey('TLS_AES_128_GCM_SHA256', secret);
  expect(key.toString('hex')).toBe('9f02283b6c9c07efc26bb9f2ac92e356');
  expect(iv.toString('hex')).toBe('cf782b88dd83549aadf1e984');
});
