import type { AsideFile, UploadProgress } from '../../../content/ports.ts';
import { describeSize } from '../../../lib/describe-size.ts';
import { printable } from '../../../lib/printable.ts';

/** What a person reads on the desktop. */
export interface Notice {
  readonly urgency: 'normal' | 'critical';
  readonly title: string;
  readonly body: string;
}

type Failed = Pick<UploadProgress, 'label' | 'error'>;

/** A person who saved a small file does not wait for it. */
const LEAST_MS = 10_000;
/** Files that are copied one after the other leave gaps. */
const QUIET_LOOKS = 2;

/**
 * Decides what is worth a notice: that uploads have ended which took a while, all of them in one, and that files cannot be
 * uploaded, each once until it can.
 */
export class UploadNotices {
  readonly #sizes = new Map<string, number>();
  readonly #keptAside: () => Promise<readonly AsideFile[]>;
  #toldFailed: ReadonlySet<string> = new Set();
  /** Ids of files that are no news. Undefined before the first look. */
  #knownAside: ReadonlySet<string> | undefined;
  #began: number | undefined;
  #lastActive = 0;
  #quietLooks = 0;

  /** `keptAside`: the files that were refused and have no place in the mount any more. */
  constructor(keptAside: () => Promise<readonly AsideFile[]>) {
    this.#keptAside = keptAside;
  }

  /** @param nowMs By a clock that nobody sets. */
  async look(uploads: readonly UploadProgress[], nowMs: number): Promise<Notice | undefined> {
    this.#knownAside ??= idsOf(await this.#keptAside());
    const active = uploads.filter(({ state }) => state === 'waiting' || state === 'publishing');
    const failed = uploads.filter(({ state }) => state === 'failed');
    if (active.length > 0) {
      this.#began ??= nowMs;
      this.#lastActive = nowMs;
      this.#quietLooks = 0;
      for (const { label, sizeBytes } of active) this.#sizes.set(label, sizeBytes);
      return undefined;
    }
    this.#quietLooks += 1;
    if (this.#quietLooks < QUIET_LOOKS) return undefined;
    const aside = this.#sizes.size === 0 ? [] : await this.#newAside();
    for (const { label } of [...failed, ...aside]) this.#sizes.delete(label);
    return this.#ofFailed([...failed, ...aside]) ?? this.#ofUploaded();
  }

  async #newAside(): Promise<readonly Failed[]> {
    const all = await this.#keptAside();
    const isNews = ({ id, label }: AsideFile): boolean =>
      this.#knownAside?.has(id) === false && this.#sizes.has(label);
    const news = all.filter(isNews).map(({ label, reason }) => ({ label, error: reason }));
    this.#knownAside = idsOf(all);
    return news;
  }

  #ofFailed(failed: readonly Failed[]): Notice | undefined {
    const news = failed.filter(({ label }) => !this.#toldFailed.has(label));
    this.#toldFailed = new Set(failed.map(({ label }) => label));
    const [first] = news;
    if (first === undefined) return undefined;
    const title = `${countOf(news.length)} not uploaded`;
    const more = news.length > 1 ? `\nand ${news.length - 1} more: svcfs status` : '';
    return {
      urgency: 'critical',
      title,
      body: printable(`${first.label}: ${first.error ?? 'failed'}`) + more,
    };
  }

  #ofUploaded(): Notice | undefined {
    const tookMs = this.#lastActive - (this.#began ?? this.#lastActive);
    const sizes = [...this.#sizes.values()];
    const [path] = this.#sizes.keys();
    this.#sizes.clear();
    this.#began = undefined;
    if (path === undefined || tookMs < LEAST_MS) return undefined;
    const size = describeSize(sizes.reduce((sum, each) => sum + each, 0));
    const body = printable(sizes.length === 1 ? `${path}, ${size}` : size);
    return { urgency: 'normal', title: `${countOf(sizes.length)} uploaded`, body };
  }
}

function idsOf(aside: readonly AsideFile[]): ReadonlySet<string> {
  return new Set(aside.map(({ id }) => id));
}

function countOf(files: number): string {
  return files === 1 ? '1 file' : `${files} files`;
}
