import { connectionFailureText, isUnproven } from '../../lib/connection-failure.ts';
import { errorCode } from '../../lib/error-code.ts';
import { ProxyError } from '../network/proxy-error.ts';

/** One HTTP exchange brought no answer. */
export class ExchangeError extends Error {
  override readonly name = 'ExchangeError';
  /** False when the request surely never got to the server. */
  readonly mayHaveArrived: boolean;
  /** There is a server, and it did not prove to be the service. */
  readonly unproven: boolean;
  /** Another try would end the same way: a proxy said no. */
  readonly isFinal: boolean;

  constructor(
    reason: string,
    options: {
      readonly mayHaveArrived: boolean;
      readonly unproven?: boolean;
      readonly isFinal?: boolean;
      readonly cause: unknown;
    },
  ) {
    super(reason, { cause: options.cause });
    this.mayHaveArrived = options.mayHaveArrived;
    this.unproven = options.unproven ?? false;
    this.isFinal = options.isFinal ?? false;
  }
}

/** Failures of name resolution and of connecting, for want of a descriptor or a port too, by the codes of Node and undici. */
const NEVER_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'EMFILE',
  'ENFILE',
  'EADDRNOTAVAIL',
]);

export function exchangeErrorFrom(error: unknown): ExchangeError {
  if (error instanceof ProxyError) {
    const { message, isFinal } = error;
    return new ExchangeError(message, { mayHaveArrived: false, isFinal, cause: error });
  }
  const code = codeOf(error);
  const unproven = isUnproven(code);
  return new ExchangeError(connectionFailureText(error), {
    mayHaveArrived: !unproven && (code === undefined || !NEVER_SENT.has(code)),
    unproven,
    cause: error,
  });
}

/** A name with several addresses fails with an AggregateError, whose members say why. */
function codeOf(error: unknown): string | undefined {
  if (error instanceof AggregateError && error.errors.length > 0) {
    const codes = error.errors.map(codeOf);
    return codes.find((code) => code === undefined || !NEVER_SENT.has(code)) ?? codes[0];
  }
  return errorCode(error);
}
