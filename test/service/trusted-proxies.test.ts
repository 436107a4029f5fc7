import { expect, onTestFinished, test } from 'vitest';
import { auditIn } from '../../src/service/operations/audit/audit-table.ts';
import { TestService } from './test-service.ts';

const FORWARDED = {
  'X-Forwarded-For': '203.0.113.7',
  'X-Forwarded-Proto': 'https',
  'X-Forwarded-Host': 'api.example.org',
};

async function throughProxy(trustedProxies: readonly string[]) {
  const service = await TestService.start({ trustedProxies });
  onTestFinished(() => service.stop());
  const alice = await service.user('alice');
  const answer = await alice.call('POST', '/projects', { body: { name: 'P' }, headers: FORWARDED });
  await service.services.auditTrail.written();
  const [entry] = await auditIn(service.services.store).list({ action: 'project', limit: 1 });
  return { href: answer.body.href, address: entry?.address, own: service.url };
}

test('what a trusted proxy says of the caller and of the address called is believed', async () => {
  const { href, address } = await throughProxy(['127.0.0.0/8']);
  expect(href).toBe('https://api.example.org/v2/projects/alice/p');
  expect(address).toBe('203.0.113.7');
});

test('what anybody else says is not', async () => {
  const { href, address, own } = await throughProxy(['192.0.2.1']);
  expect(href).toBe(`${own}/projects/alice/p`);
  expect(address).toBe('127.0.0.1');
});
