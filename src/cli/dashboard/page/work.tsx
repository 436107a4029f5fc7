import type { Bounded, FailureView, Job, Transfer } from '../page-model.ts';
import { describeSize, durationText, momentText, percent, rateText } from './format.ts';
import { Bar, List, Section } from './section.tsx';

const TRANSFER_STATES: Readonly<Record<Transfer['state'], string>> = {
  writing: 'being written',
  waiting: 'closed; its upload is about to begin',
  publishing: 'uploading',
  failed: 'failed',
};

export function Transfers({ transfers }: { readonly transfers: Bounded<Transfer> }) {
  return (
    <Section id="transfers" title="Uploads" count={transfers.total}>
      <List items={transfers} empty="Nothing is being uploaded." keyOf={({ path }) => path}>
        {(transfer) => <TransferLine transfer={transfer} />}
      </List>
    </Section>
  );
}

function TransferLine({ transfer }: { readonly transfer: Transfer }) {
  const { path, state, sentBytes, sizeBytes, rate, leftSeconds, error } = transfer;
  const words = [
    TRANSFER_STATES[state],
    `${describeSize(sentBytes)} of ${describeSize(sizeBytes)}`,
    ...(rate > 0 ? [rateText(rate)] : []),
    ...(leftSeconds === undefined ? [] : [`${durationText(leftSeconds)} left`]),
  ];
  return (
    <>
      <p class="path">{path}</p>
      <Bar
        label={`${path}: ${percent(sentBytes, sizeBytes)} %`}
        value={sentBytes}
        max={sizeBytes}
        tone={state === 'failed' ? 'bad' : 'plain'}
      />
      <p class="muted">{words.join(' · ')}</p>
      {error === undefined ? null : <p class="bad-text">{error}</p>}
    </>
  );
}

const JOB_STATES: Readonly<Record<Job['state'], string>> = {
  pending: 'waits to begin',
  running: 'running',
  done: 'done',
  failed: 'failed',
};

export function Jobs({ jobs }: { readonly jobs: Bounded<Job> }) {
  return (
    <Section id="jobs" title="Jobs" count={jobs.total}>
      <List items={jobs} empty="No job of this mount." keyOf={({ id }) => id}>
        {(job) => <JobLine job={job} />}
      </List>
    </Section>
  );
}

function JobLine({ job }: { readonly job: Job }) {
  const { id, kind, state, source, target, total, done, failed, startedMs, failure } = job;
  const isOver = state === 'done' || state === 'failed';
  const words = [
    `${kind}, ${JOB_STATES[state]}`,
    ...(total > 1 ? [`${done} of ${total} done${failed > 0 ? `, ${failed} failed` : ''}`] : []),
    `since ${momentText(startedMs)}`,
    id,
  ];
  return (
    <>
      <p class="path">
        {source}
        {target === undefined ? null : <> → {target}</>}
      </p>
      {isOver || total <= 1 ? null : <Bar label={`${kind} of ${source}`} value={done} max={total} />}
      <p class="muted">{words.join(' · ')}</p>
      {failure === undefined ? null : <p class="bad-text">{failure}</p>}
    </>
  );
}

export function Failures({ failures }: { readonly failures: Bounded<FailureView> }) {
  return (
    <Section id="failures" title="Failures" count={failures.total}>
      <List
        items={failures}
        empty="Nothing has failed that was not done since."
        keyOf={({ op, path, atMs }) => `${atMs} ${op} ${path}`}
      >
        {(failure) => <FailureLine failure={failure} />}
      </List>
    </Section>
  );
}

function FailureLine({ failure }: { readonly failure: FailureView }) {
  const { atMs, op, path, target, errno, text, requestId } = failure;
  const words = [momentText(atMs), op, errno, ...(requestId === undefined ? [] : [`request ${requestId}`])];
  return (
    <>
      <p class="path">
        {path}
        {target === undefined ? null : <> → {target}</>}
      </p>
      <p class="reason">{text}</p>
      <p class="muted">{words.join(' · ')}</p>
    </>
  );
}
