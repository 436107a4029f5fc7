import { ApiError } from '../../api/errors.ts';
import { printable } from '../../lib/printable.ts';
import { remedyFor } from '../../vfs/errors/remedies.ts';
import { CliError } from '../exit-codes.ts';

const UNAUTHORIZED = 401;

/** What the platform said no to, why, and what helps; undefined for other errors. A token that is refused is for others to tell. */
export function describeRefusal(error: unknown): CliError | undefined {
  if (!(error instanceof ApiError) || error.status === UNAUTHORIZED) return undefined;
  const { code, message, requestId } = error;
  const facts = [...(code === 0 ? [] : [`code ${code}`]), ...(requestId ? [`request ${requestId}`] : [])];
  const said = message.replace(/[.\s]+$/, '');
  const remedy = remedyFor(error, code).replace(/\.$/, '');
  const told = `${said}${facts.length === 0 ? '' : ` (${facts.join(', ')})`}${remedy === '' ? '' : `. ${remedy}`}`;
  return new CliError('failure', printable(told), { cause: error });
}
