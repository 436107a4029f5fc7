import type { Api } from '../../api/api.ts';
import type { ProjectRecord, VolumeRecord } from '../../api/model.ts';
import type { Clock } from '../../lib/clock.ts';
import { SharedFlights } from '../../lib/shared-flights.ts';
import { endsWithTime } from '../errors/errno-of.ts';
import type { Beliefs } from '../model/beliefs.ts';
import type { Node, Project, Volume } from '../model/node.ts';

/**
 * Details of projects and volumes. They are asked for at the first look at an entry inside. They are asked for again when
 * a program looks at the details themselves, or when they forbid to write: an administrator may have allowed it since.
 */
export class Details {
  readonly #api: Api;
  readonly #clock: Clock;
  readonly #ttlMs: number;
  readonly #beliefs: Pick<Beliefs, 'believes'>;
  readonly #projects = new SharedFlights<Project, ProjectRecord>({ endsWithTime });
  readonly #volumes = new SharedFlights<Volume, VolumeRecord>({ endsWithTime });
  readonly #learntMs = new WeakMap<Project | Volume, number>();

  constructor(parts: { api: Api; clock: Clock; ttlMs: number; beliefs: Pick<Beliefs, 'believes'> }) {
    this.#api = parts.api;
    this.#clock = parts.clock;
    this.#ttlMs = parts.ttlMs;
    this.#beliefs = parts.beliefs;
  }

  /** Of the project or volume that the node belongs to, when there is one. */
  async ofNode(node: Node, signal: AbortSignal): Promise<void> {
    if ('project' in node) await this.project(node.project, signal);
    else if ('volume' in node) await this.volume(node.volume, signal);
  }

  /** However old, where one may write. */
  async project(project: Project, signal: AbortSignal): Promise<ProjectRecord> {
    return project.record?.permissions.write ? project.record : this.freshProject(project, signal);
  }

  async volume(volume: Volume, signal: AbortSignal): Promise<VolumeRecord> {
    const mayWrite = volume.record?.accessMode === 'RW' && volume.record.active;
    return volume.record && mayWrite ? volume.record : this.freshVolume(volume, signal);
  }

  /** No older than what is known of other things, but for what is believed while the rate limit is spent. */
  async freshProject(project: Project, signal: AbortSignal): Promise<ProjectRecord> {
    return project.record && this.#counts(project) ? project.record : this.#askProject(project, signal);
  }

  async freshVolume(volume: Volume, signal: AbortSignal): Promise<VolumeRecord> {
    return volume.record && this.#counts(volume) ? volume.record : this.#askVolume(volume, signal);
  }

  /** Somebody changed it past the mount: asked for anew at the next look at the details. */
  forget(of: Project | Volume): void {
    this.#learntMs.delete(of);
  }

  #counts(of: Project | Volume): boolean {
    const learntMs = this.#learntMs.get(of) ?? Number.NEGATIVE_INFINITY;
    return this.#clock.elapsed() - learntMs < this.#ttlMs || this.#beliefs.believes();
  }

  #askProject(project: Project, signal: AbortSignal): Promise<ProjectRecord> {
    return this.#projects.join(project, signal, async (shared) => {
      project.record = await this.#api.projects.get(project.id, { signal: shared });
      this.#learntMs.set(project, this.#clock.elapsed());
      return project.record;
    });
  }

  #askVolume(volume: Volume, signal: AbortSignal): Promise<VolumeRecord> {
    return this.#volumes.join(volume, signal, async (shared) => {
      volume.record = await this.#api.volumes.get(volume.id, { signal: shared });
      this.#learntMs.set(volume, this.#clock.elapsed());
      return volume.record;
    });
  }
}
