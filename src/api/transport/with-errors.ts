import { ApiError, TransportError } from '../errors.ts';
import { errorCode, parseFailure } from '../parse/failure.ts';
import { isObject, optionalTextAt } from '../parse/wire.ts';
import { type Answer, describeCall, type Send } from './call.ts';
import { ExchangeError } from './exchange-error.ts';
import { pageText, SIGN_IN } from './foreign-page.ts';

/** Turns refusals, lost exchanges and answers of others into the errors that `Api` promises. `host`: of the endpoint. */
export function withErrors(send: Send, host: string): Send {
  return async (call) => {
    const answer = await send(call).catch((error: unknown) => {
      if (error instanceof ExchangeError) {
        const { message, cause, mayHaveArrived } = error;
        throw new TransportError(message, { call: describeCall(call), cause, mayHaveArrived });
      }
      throw error;
    });
    if (isForeign(answer)) {
      throw new TransportError(foreignText(answer, host), { call: describeCall(call), answer: 'foreign' });
    }
    if (isSuccess(answer.status)) {
      return answer;
    }
    const failure = parseFailure(answer.body, answer.status);
    const { page } = answer;
    const message = page === undefined ? failure.message : `${failure.message}: ${pageText(host, page)}`;
    throw new ApiError(
      { ...failure, message },
      {
        call: describeCall(call),
        requestId: answer.headers['x-request-id'],
      },
    );
  };
}

/** These say enough from any server: gateways check tokens and count requests too. */
const CLEAR_WITHOUT_CODE: ReadonlySet<number> = new Set([401, 429]);

/**
 * Whether somebody on the way answered in place of the API: with a page, or refusing without a code of the platform.
 * Such a 404 does not say that a file is missing.
 */
function isForeign({ status, page, body }: Answer): boolean {
  if (isSuccess(status)) return page !== undefined;
  return status < 500 && !CLEAR_WITHOUT_CODE.has(status) && !errorCode(body);
}

function foreignText({ status, headers, body, page }: Answer, host: string): string {
  if (status >= 300 && status < 400) return redirectText(status, headers['location'], host);
  if (page !== undefined) return `${pageText(host, page)}, with HTTP status ${status}: ${SIGN_IN}`;
  const said = isObject(body) ? optionalTextAt(body, 'message') : undefined;
  return `HTTP status ${status} without the API's JSON${said === undefined ? '' : `: ${said}`}`;
}

/** Names where it leads without what may be secret. The token is for the endpoint only. */
function redirectText(status: number, location: string | undefined, host: string): string {
  const to = location !== undefined && URL.canParse(location) ? new URL(location) : undefined;
  const redirect = `HTTP status ${status}, a redirect to ${to?.origin ?? 'another path'} that is not followed`;
  if (to === undefined || to.host === host) return redirect;
  return `${pageText(to.host, { title: undefined })} of ${host}: ${redirect}; ${SIGN_IN}`;
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}
