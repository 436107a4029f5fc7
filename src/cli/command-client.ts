import { type ApiClient, createApi } from '../api/create-api.ts';
import { Network } from '../api/network/network.ts';
import type { Credentials } from '../config/credentials.ts';
import type { NETWORK } from '../config/mount/network.ts';
import { resolveNetwork } from '../config/network.ts';
import type { OptionValues } from '../config/option.ts';
import { systemClock } from '../lib/clock.ts';
import { sayRateWait } from './say-waits.ts';

/** How long a call is tried while the service does not answer. */
const PATIENCE_MS = 60_000;

export interface CommandClient {
  readonly api: ApiClient;
  /** For a client of the store beside it. */
  readonly shared: Pick<Parameters<typeof createApi>[0], 'clock'> & {
    readonly network: Network;
    readonly limits: { readonly timeoutMs: number };
  };
}

/** A client of the platform for one command, without a mount. It says on stderr what it waits for. */
export async function commandClient(
  { endpoint, token, dialect }: Credentials,
  options: OptionValues<typeof NETWORK>,
  timeoutMs = PATIENCE_MS,
): Promise<CommandClient> {
  const network = new Network(await resolveNetwork({ ...options, environment: process.env }, endpoint));
  const shared = { clock: systemClock, network, limits: { timeoutMs } };
  let hasTold = false;
  const sayUnanswered = (): void => {
    if (!hasTold) console.error(`svcfs: ${endpoint} does not answer: trying for ${timeoutMs / 1000} s`);
    hasTold = true;
  };
  const api = createApi({
    ...shared,
    endpoint,
    token,
    dialect: dialect.dialect,
    dialectSettled: dialect.settled,
    onRateWait: sayRateWait,
    onExchange: ({ lost }) => lost && sayUnanswered(),
  });
  return { api, shared };
}
