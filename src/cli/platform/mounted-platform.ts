import { ApiError } from '../../api/errors.ts';
import { fromWire, toWire } from '../calls/call-values.ts';
import { apiOver, CALLS, isCounted, type SendCall } from '../calls/calls.ts';
import { CliError } from '../exit-codes.ts';
import { askMount } from '../mount/ask-mount.ts';
import type { SvcfsMount } from '../mount/require-mount.ts';
import { connectionOf } from '../mount/status-of.ts';
import type { Platform } from './platform.ts';
import { endpointOf, tellMounts } from './tell-mounts.ts';

/** The platform that a mount shows: its process makes the calls. `others` show the same one. */
export function mountedPlatform(
  mount: SvcfsMount,
  interrupted: AbortSignal,
  others: readonly SvcfsMount[] = [],
): Platform {
  let calls = 0;
  const send = callsOf(mount, interrupted);
  return {
    mountPoint: mount.mountPoint,
    api: apiOver((call, options) => {
      if (isCounted(call)) calls += 1;
      return send(call, options);
    }),
    // Its process knows what its own calls changed.
    onChanged: () => Promise.resolve(),
    onEntriesChanged: (entries) => tellMounts([mount, ...others], { entries }),
    onItemsChanged: (items) => tellMounts([mount, ...others], { items }),
    endpoint: async () => (await endpointOf(mount)) ?? '',
    onTasksChanged: () => Promise.resolve(),
    explain: () => undefined,
    calls: () => calls,
    connection: (ended) => connectionOf(mount, ended),
    close: () => Promise.resolve(),
  };
}

/** The answer of a call is what the API of the mount answers: it went through JSON, and is plain data. */
function callsOf(mount: SvcfsMount, interrupted: AbortSignal): SendCall {
  const { mountPoint } = mount;
  return async ({ name, args }, { signal = interrupted, overwrite, waitSeconds, timeoutMs }) => {
    signal.throwIfAborted();
    const options = {
      ...(overwrite !== undefined && { overwrite }),
      ...(waitSeconds !== undefined && { waitSeconds }),
      ...(timeoutMs !== undefined && { timeoutMs }),
    };
    const request = { request: 'call', name, args: args.map(toWire), options } as const;
    for await (const said of askMount(mount, request, { takeBack: signal })) {
      if (said?.answer === 'failed') throw new CliError('failure', `${mountPoint}: ${said.message}`);
      if (said?.answer !== 'call') continue;
      if ('takenBack' in said) throw signal.reason;
      if ('refusal' in said) throw new ApiError(said.refusal, said.refusal);
      if (!CALLS[name].changes) signal.throwIfAborted();
      return name === 'capabilities' ? new Set(said.value as readonly string[]) : fromWire(said.value);
    }
    throw new CliError('failure', `${mountPoint}: its process does not answer, or is of another version`);
  };
}
