import { useState } from 'preact/hooks';
import type { MountDetails, WarmUpView } from '../page-model.ts';
import { counted, describeSize } from './format.ts';
import { Bar, List, Section } from './section.tsx';
import { Outcome, useDeed } from './use-deed.tsx';

/** The disk cache by folder: what is there, what is to be fetched, what may go. */
export function WarmUps({ mount }: { readonly mount: MountDetails }) {
  const { id, diskCache, whyNoDiskCache, warmUps } = mount;
  return (
    <Section id="folders" title="Disk cache by folder">
      {diskCache ? (
        <>
          <FolderForm mount={id} />
          {warmUps.length === 0 ? null : (
            <List items={{ first: warmUps, total: warmUps.length }} empty="" keyOf={({ path }) => path}>
              {(warmUp) => <WarmUpLine mount={id} warmUp={warmUp} />}
            </List>
          )}
        </>
      ) : (
        <p class="muted">{whyNoDiskCache}</p>
      )}
    </Section>
  );
}

function FolderForm({ mount }: { readonly mount: string }) {
  const [path, setPath] = useState('');
  const { isBusy, done, run } = useDeed();
  const off = isBusy || path.trim() === '';
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void run('warmup', { mount, path });
      }}
    >
      <label class="field">
        <span>Folder or file of the mount</span>
        <input
          required
          value={path}
          placeholder="/projects/owner/project/folder"
          onInput={(event) => setPath(event.currentTarget.value)}
        />
      </label>
      <div class="buttons">
        <button type="submit" disabled={off}>
          Fetch into the cache
        </button>
        <button type="button" disabled={off} onClick={() => run('cached', { mount, path })}>
          How much is cached?
        </button>
        <button type="button" disabled={off} onClick={() => run('evict', { mount, path })}>
          Evict
        </button>
      </div>
      <Outcome isBusy={isBusy} done={done} />
    </form>
  );
}

const STATES: Readonly<Record<WarmUpView['state'], string>> = {
  running: 'being fetched',
  done: 'cached',
  failed: 'not all of it is cached',
  stopped: 'stopped; what was fetched stays',
};

/** The others fail for the same reasons, mostly. */
const MOST_FAILURES = 3;

function WarmUpLine({ mount, warmUp }: { readonly mount: string; readonly warmUp: WarmUpView }) {
  const { path, state, progress, failures, failed } = warmUp;
  const { isBusy, done, run } = useDeed();
  const words = [
    STATES[state],
    ...(progress === undefined
      ? []
      : [
          `${progress.doneFiles} of ${counted(progress.foundFiles, 'file')}`,
          `${describeSize(progress.doneBytes)} of ${describeSize(progress.foundBytes)}`,
          `${describeSize(progress.fetchedBytes)} fetched now`,
        ]),
  ];
  return (
    <>
      <p class="path">{path}</p>
      <Bar label={`Fetching ${path}`} value={progress?.doneBytes ?? 0} max={progress?.foundBytes ?? 1} />
      <p class="muted">{words.join(' · ')}</p>
      {failures.slice(0, MOST_FAILURES).map(({ path: where, reason }) => (
        <p key={where} class="bad-text">
          {where}: {reason}
        </p>
      ))}
      {failed > MOST_FAILURES ? <p class="bad-text">and {failed - MOST_FAILURES} more</p> : null}
      {state === 'running' ? (
        <div class="buttons">
          <button
            type="button"
            disabled={isBusy}
            aria-label={`Stop fetching ${path}`}
            onClick={() => run('stop-warmup', { mount, path })}
          >
            Stop
          </button>
        </div>
      ) : null}
      <Outcome isBusy={isBusy} done={done} />
    </>
  );
}
