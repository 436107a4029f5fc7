import { expect, it } from 'vitest';
import { OperationSpans } from '../../../../src/cli/mount/operation-spans.ts';
import type { ReplyRecord } from '../../../../src/fuse/observer.ts';
import { forRequester } from '../../../../src/lib/requester.ts';
import type { Span } from '../../../../src/observe/otlp/otlp-json.ts';

const EXCHANGE = { name: 'GET /files/{id}', status: 200, ms: 12, requestId: 'r1', reason: undefined };

function traced() {
  const told: Span[] = [];
  const spans = new OperationSpans((span) => told.push(span), { now: () => 1000 });
  const ask = (context: object, exchange: Parameters<OperationSpans['onExchange']>[0] = EXCHANGE): void => {
    const requester = { thread: 7, operation: 'open', path: () => '/secret', hasLeft: () => false, context };
    forRequester(requester, () => spans.onExchange(exchange));
  };
  const reply = (context: object, more: Partial<ReplyRecord> = {}): void =>
    spans.onReply({
      operation: 'OPEN',
      errno: 0,
      durationMs: 20,
      nodeId: 1,
      pid: 7,
      context: context as ReplyRecord['context'],
      ...more,
    });
  return { told, spans, ask, reply };
}

it('the requests of an operation are in its trace, also those after its answer', () => {
  const { told, ask, reply } = traced();
  const operation = {};
  ask(operation);
  reply(operation);
  ask(operation);
  const [first, parent, after] = told;
  expect(parent).toMatchObject({ name: 'OPEN', kind: 'server', startMs: 980, endMs: 1000 });
  expect(parent?.parentSpanId).toBeUndefined();
  for (const child of [first, after]) {
    expect(child).toMatchObject({
      traceId: parent?.traceId,
      parentSpanId: parent?.spanId,
      kind: 'client',
      startMs: 988,
      attributes: {
        'http.request.method': 'GET',
        'http.response.status_code': 200,
        'svcfs.request_id': 'r1',
      },
    });
  }
  expect(new Set(told.map(({ spanId }) => spanId)).size).toBe(3);
});

it('an operation that asked for nothing is told only when it was slow', () => {
  const { told, reply } = traced();
  reply({});
  expect(told).toEqual([]);
  reply({}, { durationMs: 50, errno: 5 });
  expect(told).toMatchObject([{ name: 'OPEN', attributes: { 'svcfs.errno': 'EIO' }, error: 'EIO' }]);
});

it('a request that no program asked for is a trace of its own, and no reason or path is told', () => {
  const { told, spans, ask } = traced();
  spans.onExchange({ ...EXCHANGE, status: undefined, requestId: undefined, reason: 'connect to 10.0.0.7' });
  ask({}, { ...EXCHANGE, status: 429 });
  expect(told).toMatchObject([{ parentSpanId: undefined, error: 'no answer' }, { error: '429' }]);
  expect(JSON.stringify(told)).not.toMatch(/secret|10\.0\.0\.7/);
});
