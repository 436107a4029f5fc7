import type { HistoryView, MountDetails, Overview } from '../page-model.ts';
import { Charts } from './charts.tsx';
import { KeptFiles } from './kept.tsx';
import { useChosenMount, useLive } from './live.ts';
import { MountList, summaryText } from './mount-list.tsx';
import { Gauges, MountHead, Service } from './mount-panel.tsx';
import { WarmUps } from './warm-up.tsx';
import { Failures, Jobs, Transfers } from './work.tsx';

export function App() {
  const chosen = useChosenMount();
  const { overview, mount, history, connected } = useLive(chosen);
  return (
    <>
      <header class="top">
        <p class="name">svcfs</p>
        <p role="status" class={connected ? 'connection' : 'connection lost'}>
          {connected
            ? summaryText(overview?.mounts ?? [])
            : 'Not connected: svcfs dashboard has ended, or is being asked.'}
        </p>
      </header>
      {overview === undefined ? (
        <p class="begin">Asking the mounts…</p>
      ) : (
        <Page overview={overview} mount={mount} history={history} />
      )}
    </>
  );
}

interface PageProps {
  readonly overview: Overview;
  readonly mount: MountDetails | undefined;
  readonly history: HistoryView | undefined;
}

function Page({ overview: { mounts, kept, version }, mount, history }: PageProps) {
  const shown = mounts.some(({ id }) => id === mount?.id) ? mount : undefined;
  return (
    <div class={mounts.length === 0 ? 'columns single' : 'columns'}>
      {mounts.length === 0 ? null : <MountList mounts={mounts} shown={shown?.id} />}
      <main>
        {mounts.length === 0 ? <NoMount /> : null}
        {shown === undefined ? null : (
          <Mount mount={shown} history={history?.id === shown.id ? history : undefined} />
        )}
        <KeptFiles kept={kept} />
        <footer class="muted">svcfs {version}</footer>
      </main>
    </div>
  );
}

function NoMount() {
  return (
    <section class="card" aria-labelledby="none">
      <h1 id="none">No mount of yours is running</h1>
      <p>One that you begin appears here by itself.</p>
      <dl class="commands">
        <dt>
          <code>svcfs mount ~/svc</code>
        </dt>
        <dd>mounts the platform of your profile</dd>
        <dt>
          <code>svcfs demo ~/svc</code>
        </dt>
        <dd>runs a service with content, and mounts it</dd>
        <dt>
          <code>svcfs doctor</code>
        </dt>
        <dd>tells why mounting fails, and what to do</dd>
      </dl>
    </section>
  );
}

function Mount({
  mount,
  history,
}: {
  readonly mount: MountDetails;
  readonly history: HistoryView | undefined;
}) {
  return (
    <>
      <MountHead mount={mount} />
      <div class="grid">
        <Transfers transfers={mount.transfers} />
        <Jobs jobs={mount.jobList} />
        <Service mount={mount} />
        <Gauges gauges={mount.gauges} />
      </div>
      {history === undefined ? null : <Charts history={history} />}
      <WarmUps mount={mount} key={mount.id} />
      <Failures failures={mount.failures} />
    </>
  );
}
