import { ApiError, TransportError } from '../errors.ts';
import { errorCode, parseFailure } from '../parse/failure.ts';
import { isObject, optionalTextAt } from '../parse/wire.ts';
import { type Answer, describeCall, type Send } from './call.ts';
import { ExchangeError } from './exchange-error.ts';

/** Turns refusals, lost exchanges and answers of others into the errors that `Api` promises. */
export function withErrors(send: Send): Send {
  return async (call) => {
    const answer = await send(call).catch((error: unknown) => {
      if (error instanceof ExchangeError) {
        const { message, cause, mayHaveArrived } = error;
        throw new TransportError(message, { call: describeCall(call), cause, mayHaveArrived });
      }
      throw error;
    });
    if (isForeign(answer)) {
      throw new TransportError(foreignText(answer), { call: describeCall(call), answer: 'foreign' });
    }
    if (isSuccess(answer.status)) {
      return answer;
    }
    throw new ApiError(parseFailure(answer.body, answer.status), {
      call: describeCall(call),
      requestId: answer.headers['x-request-id'],
    });
  };
}

/** These say enough from any server: gateways check tokens and count requests too. */
const CLEAR_WITHOUT_CODE: ReadonlySet<number> = new Set([401, 429]);

/**
 * Whether somebody on the way answered in place of the API: with a page, or refusing without a code of the platform.
 * Such a 404 does not say that a file is missing.
 */
function isForeign({ status, headers, body }: Answer): boolean {
  if (isSuccess(status)) return headers['content-type']?.startsWith('text/html') === true;
  return status < 500 && !CLEAR_WITHOUT_CODE.has(status) && !errorCode(body);
}

function foreignText({ status, headers, body }: Answer): string {
  if (status >= 300 && status < 400) return redirectText(status, headers['location']);
  const said = isObject(body) ? optionalTextAt(body, 'message') : undefined;
  return `HTTP status ${status} without the API's JSON${said === undefined ? '' : `: ${said}`}`;
}

/** Names where it leads without what may be secret. The token is for the endpoint only. */
function redirectText(status: number, location = ''): string {
  const place = URL.canParse(location) ? new URL(location).origin : 'another path';
  return `HTTP status ${status}, a redirect to ${place} that is not followed`;
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}
