import { execFile } from 'node:child_process';
import { isIP } from 'node:net';
import { type Finding, fault, ok, unknown } from '../../finding.ts';

const CHECK = 'name';
const PATIENCE_MS = 3000;
/** getent(1): the key could not be found. */
const NOT_FOUND = 2;

/**
 * Looks a host up as programs do. By a program of its own: a look-up in this process cannot be given up, and would keep it from
 * ending.
 */
export async function checkName(host: string, command = 'getent', ms = PATIENCE_MS): Promise<Finding> {
  if (isIP(host) !== 0) return ok(CHECK, `${host} is an address`);
  const { code, isLate, text } = await answerOf(command, ['ahosts', host], ms);
  const addresses = [...new Set([...text.matchAll(/^(\S+)/gm)].map(([, address = '']) => address))];
  if (code === 0 && addresses.length > 0) return ok(CHECK, `${host} is ${addresses.slice(0, 3).join(', ')}`);
  if (isLate)
    return fault(CHECK, `no name server answers for ${host} within ${ms / 1000} s`, {
      remedy: `cat /etc/resolv.conf   # and is the network up? ip route`,
    });
  return code === NOT_FOUND
    ? fault(CHECK, `there is no host ${host}, or no network to ask by`, {
        remedy: `getent ahosts ${host}   # correct the endpoint: svcfs login --endpoint URL`,
      })
    : unknown(CHECK, `${host} could not be looked up: there is no ${command} here`);
}

interface Looked {
  readonly code: number | undefined;
  readonly isLate: boolean;
  readonly text: string;
}

function answerOf(command: string, args: readonly string[], ms: number): Promise<Looked> {
  return new Promise((resolve) => {
    execFile(command, args, { timeout: ms, killSignal: 'SIGKILL' }, (error, text) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : undefined;
      resolve({ code, isLate: error?.killed === true, text });
    });
  });
}
