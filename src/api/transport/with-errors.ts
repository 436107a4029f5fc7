import { ApiError, TransportError } from '../errors.ts';
import { parseFailure } from '../parse/failure.ts';
import { describeCall, type Send } from './call.ts';
import { ExchangeError } from './exchange-error.ts';

/** Turns refusals and lost exchanges into the errors that `Api` promises. */
export function withErrors(send: Send): Send {
  return async (call) => {
    const answer = await send(call).catch((error: unknown) => {
      if (error instanceof ExchangeError) {
        throw new TransportError(error.message, { call: describeCall(call), cause: error.cause });
      }
      throw error;
    });
    if (answer.status >= 200 && answer.status < 300) {
      return answer;
    }
    throw new ApiError(parseFailure(answer.body, answer.status), {
      call: describeCall(call),
      requestId: answer.headers['x-request-id'],
    });
  };
}
