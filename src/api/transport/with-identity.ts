import type { Send } from './call.ts';
import type { Dialect } from './dialect.ts';

/** Says who calls, and that folder ids are understood. */
export function withIdentity(
  send: Send,
  identity: { readonly token: string; readonly dialect: Dialect },
): Send {
  const { token, dialect } = identity;
  const headers = {
    [dialect.tokenHeader]: token,
    [dialect.advanceHeader]: 'advance',
    accept: 'application/json',
  };
  return (call) => send({ ...call, headers: { ...headers, ...call.headers } });
}
