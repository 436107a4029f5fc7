import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { planRemoval } from '../../batch/plan/plan-removal.ts';
import { runSteps } from '../../batch/run/run-steps.ts';
import { systemClock } from '../../lib/clock.ts';
import type { PlatformPlace } from '../../vfs/listing/places-at.ts';
import { CliError } from '../exit-codes.ts';
import { inquireQuietly } from '../mount/inquire.ts';
import type { MountStatistics } from '../mount/mount-statistics.ts';
import type { SvcfsMount } from '../mount/require-mount.ts';
import { mountedPlatform } from '../platform/mounted-platform.ts';

/** The resources that the process of a mount has used up so far. */
export interface Consumption {
  readonly storeBytes: number;
  readonly cpuSeconds: number;
}

/** A mount, as far as a measurement asks its process. Paths are absolute. */
export class BenchedMount {
  readonly #mount: SvcfsMount;

  constructor(mount: SvcfsMount) {
    this.#mount = mount;
  }

  async placeOf(path: string): Promise<PlatformPlace> {
    const request = { request: 'places', paths: [this.#inMount(path)] } as const;
    const { places, failures } = await inquireQuietly(this.#mount, request);
    const [place] = places;
    if (place === null || place === undefined)
      throw new CliError('failure', `${path}: ${failures.map(({ reason }) => reason).join('; ')}`);
    if (place.kind === 'free' || place.kind === 'missing')
      throw new CliError('usage', `${path}: no such file or directory`);
    return place;
  }

  /** Undefined: what is written in a folder of a project can be removed again. */
  async refusalToWrite(): Promise<string | undefined> {
    const config = JSON.parse(await this.#control('config'));
    if (config.readOnly === true) return 'the mount is read-only; mount without --read-only';
    if (config.delete === false)
      return 'the mount removes nothing (--no-delete), and what was written would stay';
    if (config.trash !== null)
      return 'the mount keeps what is removed (--trash), and what was written would stay';
    return undefined;
  }

  async statistics(): Promise<MountStatistics> {
    return (await inquireQuietly(this.#mount, { request: 'status' })).statistics;
  }

  /** To the API, since the mount began. */
  async requests(): Promise<number> {
    const { api } = await this.statistics();
    return Object.values(api.calls).reduce((sum, count) => sum + count, 0);
  }

  async consumption(): Promise<Consumption> {
    const metrics = await this.#control('metrics');
    const value = (name: string): number =>
      Number(new RegExp(`^${name} (.*)$`, 'm').exec(metrics)?.[1] ?? Number.NaN);
    return {
      storeBytes: value('svcfs_mount_store_received_bytes_total'),
      cpuSeconds: value('process_cpu_seconds_total'),
    };
  }

  /** Where the bytes of a file are, for anyone who has the address. */
  async linkOf(path: string, signal: AbortSignal): Promise<string> {
    const place = await this.placeOf(path);
    const { api } = mountedPlatform(this.#mount, signal);
    if (place.kind === 'file') return (await api.files.downloadInfo(place.file.id)).url;
    if (place.kind === 'object') return (await api.volumes.downloadInfo(place.volume, place.location)).url;
    throw new CliError('failure', `${path} is no file`);
  }

  async refresh(path: string): Promise<void> {
    await inquireQuietly(this.#mount, { request: 'refresh', path: this.#inMount(path) });
  }

  /** Until what was closed there is on the platform. */
  async flush(path: string, signal: AbortSignal): Promise<void> {
    const request = { request: 'flush', path: this.#inMount(path) } as const;
    const { failures } = await inquireQuietly(this.#mount, request, { takeBack: signal });
    if (failures.length > 0) throw new CliError('failure', failures.join('; '));
  }

  /** For good. Nothing interrupts it. */
  async remove(folder: string): Promise<void> {
    const uninterrupted = new AbortController().signal;
    const platform = mountedPlatform(this.#mount, uninterrupted);
    const place = await this.placeOf(folder);
    if (place.kind !== 'folder') throw new CliError('failure', 'it is no folder any more');
    let reason: string | undefined;
    await runSteps(planRemoval([{ source: folder, place }]), {
      api: platform.api,
      clock: systemClock,
      signal: uninterrupted,
      waits: true,
      onOutcome: (_item, outcome) => {
        if (outcome.kind === 'failed') reason = outcome.reason;
      },
      onProgress: () => {},
      onTouched: (touched) =>
        platform.onEntriesChanged(touched.map(({ directory, name }) => ({ directory, names: [name] }))),
    });
    if (reason !== undefined) throw new CliError('failure', reason);
  }

  #control(name: string): Promise<string> {
    return readFile(join(this.#mount.mountPoint, '.svcfs', name), 'utf8');
  }

  #inMount(path: string): string {
    return path.slice(this.#mount.mountPoint.length) || '/';
  }
}
