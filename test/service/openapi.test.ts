import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { request, TestService } from './test-service.ts';

const COMMITTED = new URL('../../src/service/openapi.json', import.meta.url);

// biome-ignore lint/suspicious/noExplicitAny: a document of OpenAPI, looked at and not relied on
type Json = any;

let service: TestService;
let document: Json;

beforeAll(async () => {
  service = await TestService.start();
  document = (await request('GET', `${service.url}/openapi.json`)).body;
});
afterAll(() => service.stop());

function operations(): [string, Json][] {
  return Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Json>(methods).map(([method, operation]): [string, Json] => [
      `${method.toUpperCase()} ${path}`,
      operation,
    ]),
  );
}

describe('the description in OpenAPI', () => {
  test('is the one that is committed; `npm run openapi` renews that', () => {
    expect(document).toEqual(JSON.parse(readFileSync(COMMITTED, 'utf8')));
  });

  test('says of every call what it does and which answers it gives, errors among them', () => {
    const lacking = operations().filter(([, { summary, tags, responses }]) => {
      const { default: error, ...good } = responses;
      const described = Object.entries<Json>(good).every(
        ([status, answer]) => ['204', '307'].includes(status) || answer.content !== undefined,
      );
      const told = error.content['application/json'].schema.$ref === '#/components/schemas/ApiError';
      return !(summary && tags.length === 1 && Object.keys(good).length > 0 && described && told);
    });
    expect(lacking.map(([call]) => call)).toEqual([]);
  });

  test('knows of no success but 200, 204 without a body after a DELETE, and 307', () => {
    const wrong = operations().filter(([call, { responses }]) => {
      const { default: _, ...good } = responses;
      const statuses = Object.keys(good).join();
      return statuses !== (call.startsWith('DELETE ') ? '204' : '200') && statuses !== '307';
    });
    // Nobody waits for an answer to that.
    expect(wrong.map(([call]) => call)).toEqual(['POST /v2/action/notifications/feedback']);
  });

  test('tells which calls need no token', () => {
    const open = operations().filter(([, { security }]) => security?.length === 0);
    expect(open.map(([call]) => call)).toEqual([
      'GET /v2',
      'GET /v2/api-status-codes',
      'GET /v2/openapi.json',
    ]);
    expect(document.security).toEqual([{ token: [] }, { platform: [] }, { bearer: [] }]);
  });
});

describe('the page that shows it', () => {
  test('needs no token, and nothing from elsewhere', async () => {
    const page = await fetch(`${service.url}/docs/`);
    expect(page.status).toBe(200);
    const html = await page.text();
    const assets = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = '']) => address);
    expect(assets.length).toBeGreaterThan(3);
    for (const asset of assets) {
      const { origin, href } = new URL(asset, `${service.url}/docs/`);
      expect(origin).toBe(new URL(service.url).origin);
      const answer = await fetch(href);
      expect([href, answer.status]).toEqual([href, 200]);
      expect(await answer.text()).not.toMatch(/(?:src|href)=\\?["']https?:/);
    }
    const policy = page.headers.get('content-security-policy');
    expect(policy).toContain("default-src 'self'");
    // Over plain http a browser would ask for the scripts by https, which nobody answers.
    expect(policy).not.toContain('upgrade-insecure-requests');
  });

  test('is found without the slash too', async () => {
    expect((await fetch(`${service.url}/docs`)).status).toBe(200);
  });

  test('shows the description', async () => {
    const { body } = await request('GET', `${service.url}/docs/json`);
    expect(body).toEqual(document);
  });
});
