import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import type { Span } from '../../../../src/observe/otlp/otlp-json.ts';
import { SpanExporter } from '../../../../src/observe/otlp/span-exporter.ts';
import { waitUntil } from '../../../support/wait-until.ts';

const SPAN: Span = {
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId: 'b7ad6b7169203331',
  name: 'GET /files/{id}',
  kind: 'client',
  startMs: 1_800_000_000_000.25,
  endMs: 1_800_000_000_012.5,
  attributes: { 'http.response.status_code': 404, 'svcfs.request_id': 'r1' },
  error: '404',
};

async function collector(
  listener: RequestListener,
): Promise<{ exporter: SpanExporter; warnings: unknown[] }> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server, 'listening');
  const warnings: unknown[] = [];
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`;
  const log = { warn: (fields: unknown) => void warnings.push(fields) };
  return { exporter: new SpanExporter({ url, resource: { 'service.name': 'svcfs' }, log }), warnings };
}

it('spans reach a collector as OTLP in JSON', async () => {
  const bodies: unknown[] = [];
  const { exporter } = await collector(async (request, response) => {
    expect([request.method, request.url]).toEqual(['POST', '/v1/traces']);
    expect(request.headers['content-type']).toBe('application/json');
    bodies.push(await json(request));
    response.end('{}');
  });
  exporter.add({ ...SPAN, parentSpanId: '00f067aa0ba902b7' });
  await exporter.close();
  expect(exporter.snapshot()).toEqual({ sent: 1, dropped: 0 });
  const span = {
    traceId: SPAN.traceId,
    spanId: SPAN.spanId,
    parentSpanId: '00f067aa0ba902b7',
    name: 'GET /files/{id}',
    kind: 3,
    startTimeUnixNano: '1800000000000250000',
    endTimeUnixNano: '1800000000012500000',
    attributes: [
      { key: 'http.response.status_code', value: { intValue: '404' } },
      { key: 'svcfs.request_id', value: { stringValue: 'r1' } },
    ],
    status: { code: 2, message: '404' },
  };
  const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'svcfs' } }] };
  expect(bodies).toEqual([
    { resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'svcfs' }, spans: [span] }] }] },
  ]);
});

it('what a collector refuses is dropped and counted, and the log says so once', async () => {
  const { exporter, warnings } = await collector((_, response) => response.writeHead(503).end());
  for (let count = 0; count < 512; count++) exporter.add(SPAN);
  await waitUntil(() => exporter.snapshot().dropped === 512);
  exporter.add(SPAN);
  await exporter.close();
  expect(exporter.snapshot()).toEqual({ sent: 0, dropped: 513 });
  expect(warnings).toHaveLength(1);
});

it('a collector that does not answer fills no memory, and keeps no mount from its end', async () => {
  let asked = 0;
  const { exporter } = await collector(() => {
    asked += 1;
  });
  for (let count = 0; count < 10_000; count++) exporter.add(SPAN);
  // A batch is on its way, and the queue is full.
  expect(exporter.snapshot()).toEqual({ sent: 0, dropped: 10_000 - 512 - 4096 });
  await exporter.close();
  expect(asked).toBe(1);
});
