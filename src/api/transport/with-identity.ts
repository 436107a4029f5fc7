import { DIALECT_HEADERS, exchangeQuery, exchangeWords, placeOfBody } from '../../contract/dialect.ts';
import type { Answer, Call, Identity, Send } from './call.ts';

/**
 * Says who calls, and that folder ids are understood, in the words of the service's dialect. Outside of it all is in the
 * words of the API document. A call that names an identity of its own is sent with that.
 */
export function withIdentity(send: Send, current: () => Identity): Send {
  return async (call) => {
    const { token, dialect } = call.as ?? current();
    const names = DIALECT_HEADERS[dialect];
    const headers = {
      [names.token]: token,
      [names.advance]: 'advance',
      accept: 'application/json',
      ...call.headers,
    };
    if (dialect === 'svc') return send({ ...call, headers });
    return answerFrom(await send({ ...foreign(call), headers }), call);
  };
}

function foreign({ path, query, body, ...call }: Call): Call {
  return {
    ...call,
    path,
    ...(query && { query: exchangeQuery(query) }),
    ...(body && { body: 'json' in body ? { json: exchangeWords(body.json, placeOfBody(path)) } : body }),
  };
}

function answerFrom(answer: Answer, { path, asWritten }: Call): Answer {
  const isError = answer.status >= 400;
  if (asWritten && !isError) return answer;
  return { ...answer, body: exchangeWords(answer.body, isError ? 'object' : placeOfBody(path)) };
}
