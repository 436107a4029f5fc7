import { styleText } from 'node:util';
import { systemClock } from '../../lib/clock.ts';
import { untilAborted } from '../../lib/until-aborted.ts';
import { CliError } from '../exit-codes.ts';
import type { SvcfsMount } from '../mount/require-mount.ts';
import { selectMount } from '../mount/select-mount.ts';
import { activityOf } from './activity.ts';
import { drawTop, SORTS, type TopView } from './draw-top.ts';
import { TOP_HELP } from './help.ts';
import type { Size } from './layout.ts';
import { Screen } from './screen.ts';
import { TopSource } from './top-source.ts';

export interface TopOptions {
  /** Seconds. */
  readonly interval: number;
  readonly once: boolean;
}

/** A pipe has neither width nor height. */
const ON_A_PIPE: Size = { width: 80, height: 40 };

/** Shows what happens on a mount: live on a terminal until the user quits, else once. */
export async function runTop(path: string | undefined, { interval, once }: TopOptions): Promise<void> {
  const mount = await selectMount(path);
  const isLive = !once && process.stdout.isTTY && process.stdin.isTTY;
  await (isLive ? showLive(mount, interval * 1000) : showOnce(mount, interval * 1000));
}

async function showOnce(mount: SvcfsMount, intervalMs: number): Promise<void> {
  const { isTTY, columns } = process.stdout;
  const size = isTTY && columns ? { ...ON_A_PIPE, width: columns } : ON_A_PIPE;
  const over = new AbortController();
  const source = new TopSource(mount);
  const following = source.follow(over.signal);
  await source.sample();
  await systemClock.sleep(intervalMs);
  await source.sample();
  over.abort();
  await following;
  requireAnswers(mount, source);
  const view = viewOf(mount, source, { sort: 'rate', paused: false });
  console.log(drawTop(view, size).join('\n'));
}

type Chosen = Pick<TopView, 'sort' | 'paused'>;

function viewOf({ mountPoint }: SvcfsMount, source: TopSource, chosen: Chosen): TopView {
  const nowMs = Date.now();
  const { samples, failure } = source;
  const status = samples.at(-1)?.status;
  if (status === undefined) throw new CliError('failure', `${mountPoint}: its process does not answer`);
  const activity = activityOf(samples);
  return { mountPoint, nowMs, status, activity, slow: source.slowest(nowMs), failure, ...chosen };
}

function requireAnswers({ mountPoint }: SvcfsMount, { samples, failure, hasEnded }: TopSource): void {
  if (hasEnded) throw new CliError('failure', `${mountPoint}: its process does not answer`);
  if (samples.length < 2)
    throw new CliError('failure', failure ?? `${mountPoint}: its process does not answer`);
}

async function showLive(mount: SvcfsMount, intervalMs: number): Promise<void> {
  const source = new TopSource(mount);
  await source.sample();
  if (source.samples.length === 0) requireAnswers(mount, source);
  const over = new AbortController();
  let chosen: Chosen = { sort: 'rate', paused: false };
  let shown: TopView | undefined;
  let helps = false;
  const draw = (): void => {
    if (helps) screen.draw(TOP_HELP);
    else if (shown !== undefined) screen.draw(styled(drawTop({ ...shown, ...chosen }, screen.size)));
    else screen.draw([`svcfs top ${mount.mountPoint}: the first numbers come soon`]);
  };
  const onKey = (key: string): void => {
    if (key === 'q') over.abort();
    if (key === ' ' || key === 'p') chosen = { ...chosen, paused: !chosen.paused };
    if (key === 's') chosen = { ...chosen, sort: nextSort(chosen.sort) };
    helps = key === 'h' || key === '?' ? !helps : false;
    draw();
  };
  const screen: Screen = new Screen(process.stdin, process.stdout, {
    onKey,
    onResize: draw,
    onQuit: () => over.abort(),
  });
  screen.open();
  try {
    const following = source.follow(over.signal);
    while (!over.signal.aborted && !source.hasEnded) {
      await systemClock.sleep(intervalMs, over.signal).catch(() => undefined);
      if (over.signal.aborted) break;
      await untilAborted(source.sample(), over.signal).catch((error: unknown) => {
        if (!over.signal.aborted) throw error;
      });
      if (over.signal.aborted) break;
      if (!chosen.paused && source.samples.length > 1) shown = viewOf(mount, source, chosen);
      draw();
    }
    if (source.hasEnded) await following;
  } finally {
    screen.close();
  }
  // A process that does not answer is not waited for: its sockets would keep this one.
  if (over.signal.aborted) process.exit(0);
  if (source.hasEnded) console.error(`svcfs: ${mount.mountPoint}: the mount has ended`);
}

const STYLES = [
  [/^(svcfs top |SLOWEST )/, 'bold'],
  [/^OPERATION |^REQUESTS /, 'inverse'],
  [/^(fault |! )/, 'red'],
  [/^(warning |\d+ calls? waits? )/, 'yellow'],
] as const;

/** Lines that are cut to the width already. */
function styled(lines: readonly string[]): readonly string[] {
  const stream = process.stdout;
  return lines.map((line) => {
    const [, style] = STYLES.find(([pattern]) => pattern.test(line)) ?? [];
    return style === undefined ? line : styleText(style, line, { stream });
  });
}

function nextSort(sort: Chosen['sort']): Chosen['sort'] {
  return SORTS[(SORTS.indexOf(sort) + 1) % SORTS.length] ?? 'rate';
}
