import type { Kept, KeptView } from '../page-model.ts';
import { describeSize, momentText } from './format.ts';
import { List, Section } from './section.tsx';

/** Files that are on this machine and not on the service, of all mounts. */
export function KeptFiles({ kept: { files, unreadable } }: { readonly kept: Kept }) {
  return (
    <Section id="kept" title="Kept on this machine, not on the service" count={files.total}>
      {unreadable.map((line) => (
        <p key={line} class="bad-text">
          Perhaps kept here: {line}
        </p>
      ))}
      <List
        items={files}
        empty="Nothing is kept: the service has every file that was closed."
        keyOf={({ id }) => id}
      >
        {(file) => <KeptLine file={file} />}
      </List>
    </Section>
  );
}

function KeptLine({ file }: { readonly file: KeptView }) {
  const { path, stateInWords, sizeBytes, keptMs, reason, missing } = file;
  return (
    <>
      <p class="path">{path}</p>
      <p class="reason">{reason}</p>
      {missing === undefined ? null : <p class="bad-text">Not whole: {missing}</p>}
      <p class="muted">
        {[describeSize(sizeBytes), stateInWords, `since ${momentText(keptMs)}`].join(' · ')}
      </p>
    </>
  );
}
