import { MOUNT_OPTIONS } from '../../config/mount-options.ts';
import type { NetworkSettings } from '../../config/network.ts';
import type { MemoryPool } from '../../content/memory/memory-pool.ts';
import { placeOf } from '../../lib/proxy-address.ts';
import { proxyFor } from '../../lib/proxy-rules.ts';
import { processMetrics } from '../../observe/process-metrics.ts';
import { prometheusText } from '../../observe/prometheus-text.ts';
import type { MountInformation } from '../../vfs/trees/control/control.ts';
import { packageVersion } from '../package-version.ts';
import type { MountSettings } from './daemon-messages.ts';
import { describeWaits } from './describe-waits.ts';
import { mountMetrics } from './mount-metrics.ts';
import { type CountedParts, type MountStatistics, statisticsOf } from './mount-statistics.ts';

/** Of the command, not of the mount: where the token came from, and who waits for the end. */
const NOT_SHOWN: ReadonlySet<string> = new Set([
  'endpoint',
  'tokenFile',
  'profile',
  'dialect',
  'foreground',
  'config',
  'verbose',
  'quiet',
  'dryRun',
  'options',
  'proxy',
  'noProxy',
  'caFile',
]);

export interface CountingInformation extends MountInformation {
  readonly statistics: () => MountStatistics;
  /** Of calls that wait, those about a path or what is below it. Default: all. */
  readonly circumstances: (path?: string) => readonly string[];
}

/** The contents of `.svcfs/version`, `config`, `stats` and `metrics`. */
export function mountInformation(settings: MountSettings, parts: CountedParts): CountingInformation {
  const info = { version: packageVersion(), mountPoint: settings.mountPoint };
  return {
    version: info.version,
    config: configOf(settings, parts.memory),
    statistics: () => statisticsOf(parts),
    circumstances: (path) => circumstancesOf(statisticsOf(parts), settings.options, path),
    metrics: () => prometheusText([...mountMetrics(statisticsOf(parts), info), ...processMetrics()]),
  };
}

/** The conditions that make every call wait or fail. */
export function circumstancesOf(
  { api }: Pick<MountStatistics, 'api'>,
  { readOnly, manifest }: Partial<Pick<MountSettings['options'], 'readOnly' | 'manifest'>>,
  path?: string,
): readonly string[] {
  const flag = manifest === undefined ? '--read-only' : '--manifest';
  return [...describeWaits(api, path), ...(readOnly ? [describeReadOnly(flag)] : [])];
}

function describeReadOnly(flag: string): string {
  return (
    `the mount is read-only (${flag}): the kernel refuses every change with EROFS, and tells svcfs nothing of it; ` +
    `mount without ${flag} to make changes`
  );
}

/** Every option with its value in force, null when there is none; times in milliseconds, sizes in bytes. */
function configOf(settings: MountSettings, memory: MemoryPool): MountInformation['config'] {
  const { endpoint, mountPoint, directory, network } = settings;
  const given: Readonly<Record<string, unknown>> = settings.options;
  const names = Object.keys(MOUNT_OPTIONS).filter((name) => !NOT_SHOWN.has(name));
  const options = Object.fromEntries(names.map((name) => [name, given[name] ?? null]));
  return {
    endpoint,
    mountPoint,
    log: directory.log,
    ...options,
    ...networkOf(network, endpoint),
    memory: memory.limitBytes,
  };
}

/** Without the password of a proxy. */
function networkOf({ proxies, caFile }: NetworkSettings, endpoint: string): MountInformation['config'] {
  const proxy = proxyFor(proxies, new URL(endpoint))?.address;
  return {
    proxy: proxy !== undefined && 'host' in proxy ? placeOf(proxy) : null,
    noProxy: proxies.except || null,
    caFile: caFile ?? null,
  };
}
