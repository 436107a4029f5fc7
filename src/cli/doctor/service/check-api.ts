import type { OwnUser } from '../../../api/api.ts';
import { type ApiClient, createApi } from '../../../api/create-api.ts';
import { ApiError, TransportError } from '../../../api/errors.ts';
import type { Network } from '../../../api/network/network.ts';
import { ProxyError } from '../../../api/network/proxy-error.ts';
import type { Credentials } from '../../../config/credentials.ts';
import { systemClock } from '../../../lib/clock.ts';
import { messageOf } from '../../../lib/message-of.ts';
import { timeOfDay } from '../../../lib/time-of-day.ts';
import { AS_GOOD_AS_NONE } from '../../describe/describe-status.ts';
import { type Finding, fault, ok, unknown, warning } from '../../finding.ts';
import { accessError } from '../../mount/access-error.ts';
import { describeClockSkew } from '../../mount/service-log.ts';
import { checkRights, type NamedProjects } from './rights.ts';
import { proxyFault } from './way.ts';

/** Somebody waits at a terminal. */
const PATIENCE_MS = 5000;
const DAY_MS = 86_400_000;
const SOON_DAYS = 7;
/** Signed addresses are good for minutes. */
const FAR_OFF_MS = 300_000;
const SCARCE_SHARE = 0.15;

export interface ApiSubject extends NamedProjects {
  readonly credentials: Credentials;
  readonly network: Network;
  /** `svcfs login --profile lab`. */
  readonly login: string;
}

/** What the service says to its first calls: five at most. */
export async function checkApi(subject: ApiSubject): Promise<readonly Finding[]> {
  const { credentials, network } = subject;
  const { endpoint, token, dialect } = credentials;
  const spent = new AbortController();
  const api = createApi({
    endpoint,
    token,
    dialect: dialect.dialect,
    dialectSettled: dialect.settled,
    clock: systemClock,
    network,
    limits: { timeoutMs: PATIENCE_MS },
    onRateWait: (ms) => spent.abort(new RateSpent(ms)),
    onRefused: (ms) => spent.abort(new RateSpent(ms)),
  });
  const signal = AbortSignal.any([spent.signal, AbortSignal.timeout(2 * PATIENCE_MS)]);
  try {
    const user = await api.whoAmI({ signal });
    return [
      ok('endpoint', `${endpoint}, dialect ${api.status().dialect}`),
      tokenFinding(user, subject),
      clockFinding(api),
      await checkRights(api, user.username, subject, signal).catch((error: unknown) =>
        error instanceof RateSpent
          ? unknown('projects', 'not asked: the request limit is used up')
          : unknown('projects', messageOf(error)),
      ),
      spent.signal.aborted ? rateSpent(spent.signal.reason) : rateFinding(api),
    ];
  } catch (error) {
    if (error instanceof RateSpent) return [ok('endpoint', endpoint), rateSpent(error)];
    return describeRefusal(error, subject, api);
  } finally {
    await api.close();
  }
}

class RateSpent extends Error {
  readonly ms: number;

  constructor(ms: number) {
    super('the request limit is used up');
    this.ms = ms;
  }
}

function tokenFinding({ username, tokenEndsMs }: OwnUser, { login }: ApiSubject): Finding {
  if (tokenEndsMs === undefined) return ok('token', `of ${username}; the service tells no end`);
  const end = new Date(tokenEndsMs).toISOString().replace(/:\d\d\.\d+/, '');
  const found = `of ${username}, good until ${end}`;
  return tokenEndsMs - Date.now() < SOON_DAYS * DAY_MS
    ? warning('token', `${found}: it ends soon`, { remedy: login })
    : ok('token', found);
}

function clockFinding(api: ApiClient): Finding {
  const { clockAheadMs } = api.status();
  if (clockAheadMs === null) return ok('clock', 'within a minute of that of the service');
  const [found = ''] = describeClockSkew(clockAheadMs).split(': set it right');
  const remedies = { remedy: 'timedatectl set-ntp true   # or: chronyc makestep' };
  return Math.abs(clockAheadMs) > FAR_OFF_MS
    ? fault('clock', found, remedies)
    : warning('clock', found, remedies);
}

function rateFinding(api: ApiClient): Finding {
  const { window } = api.status().rate;
  if (window === undefined || window === 'unlimited' || window.limit >= AS_GOOD_AS_NONE)
    return ok('request limit', 'none');
  const { remaining, limit, resetMs } = window;
  const until = resetMs === null ? '' : ` until ${timeOfDay(resetMs)}`;
  const found = `${remaining} of ${limit} requests left${until}`;
  return remaining < limit * SCARCE_SHARE
    ? warning('request limit', found, { remedy: 'svcfs status   # what spends it; it is whole again then' })
    : ok('request limit', found);
}

function rateSpent({ ms }: RateSpent): Finding {
  const until = timeOfDay(Date.now() + ms);
  return fault('request limit', `used up until ${until}: mounts wait`, {
    remedy: `sleep ${Math.ceil(ms / 1000)}   # or: svcfs status shows what spends it`,
  });
}

/** One thing is wrong, and what goes before it is right. */
function describeRefusal(
  error: unknown,
  { credentials: { endpoint }, login }: ApiSubject,
  api: ApiClient,
): readonly Finding[] {
  const proxy = proxyErrorIn(error);
  if (proxy !== undefined) return [proxyFault(proxy, new URL(endpoint))];
  const told = accessError(error, endpoint)?.message ?? messageOf(error);
  if (error instanceof ApiError && error.status === 401)
    return [
      ok('endpoint', endpoint),
      fault('token', `the service refuses it: ${error.message}`, { remedy: login }),
      clockFinding(api),
    ];
  if (error instanceof TransportError && error.answer === 'foreign')
    return [
      fault('endpoint', told, {
        remedy: `xdg-open ${endpoint}   # sign in there; else correct it: svcfs login --endpoint URL`,
      }),
    ];
  const isElsewhere = error instanceof ApiError && error.status === 404;
  const remedy = isElsewhere
    ? `${login} --endpoint ${new URL(endpoint).origin}/v2`
    : `curl -i ${endpoint}   # what it says; its operator can tell more`;
  return [fault('endpoint', told, { remedy })];
}

function proxyErrorIn(error: unknown): ProxyError | undefined {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof ProxyError) return at;
  return undefined;
}
