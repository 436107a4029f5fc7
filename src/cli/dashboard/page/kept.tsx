import { useRef, useState } from 'preact/hooks';
import type { Kept, KeptView } from '../page-model.ts';
import { describeSize, momentText } from './format.ts';
import type { Done } from './post.ts';
import { List, Section } from './section.tsx';
import { Outcome, useDeed } from './use-deed.tsx';

/** Files that are on this machine and not on the service, of all mounts. */
export function KeptFiles({ kept: { files, unreadable } }: { readonly kept: Kept }) {
  const [last, setLast] = useState<Done | undefined>(undefined);
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
        {(file) => <KeptLine file={file} onDone={setLast} />}
      </List>
      <Outcome isBusy={false} done={last} />
    </Section>
  );
}

/** These are never tried again by a person: the next mount does it, or they were not closed. */
const NOT_RETRIED: readonly KeptView['state'][] = ['waiting', 'unclosed'];

interface KeptLineProps {
  readonly file: KeptView;
  readonly onDone: (done: Done) => void;
}

function KeptLine({ file, onDone }: KeptLineProps) {
  const { id, path, state, stateInWords, sizeBytes, keptMs, reason, missing } = file;
  const { isBusy, run } = useDeed(onDone);
  const [isSaving, setSaving] = useState(false);
  return (
    <>
      <p class="path">{path}</p>
      <p class="reason">{reason}</p>
      {missing === undefined ? null : <p class="bad-text">Not whole: {missing}</p>}
      <p class="muted">
        {[describeSize(sizeBytes), stateInWords, `since ${momentText(keptMs)}`].join(' · ')}
      </p>
      <div class="buttons">
        {NOT_RETRIED.includes(state) ? null : (
          <button
            type="button"
            disabled={isBusy}
            aria-label={`Retry ${path}`}
            onClick={() => run('retry', { id })}
          >
            Retry
          </button>
        )}
        <button
          type="button"
          disabled={isBusy}
          aria-expanded={isSaving}
          aria-label={`Save ${path} elsewhere`}
          onClick={() => setSaving(!isSaving)}
        >
          Save…
        </button>
        <DropButton file={file} isBusy={isBusy} onDrop={() => run('drop', { id, path })} />
      </div>
      {isSaving ? (
        <SaveForm isBusy={isBusy} onSave={(to, replace) => run('save', { id, to, replace })} />
      ) : null}
      <Outcome isBusy={isBusy} done={undefined} />
    </>
  );
}

interface SaveFormProps {
  readonly isBusy: boolean;
  readonly onSave: (to: string, replace: boolean) => Promise<void>;
}

function SaveForm({ isBusy, onSave }: SaveFormProps) {
  const [to, setTo] = useState('');
  const [replace, setReplace] = useState(false);
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault();
        void onSave(to, replace);
      }}
    >
      <label class="grow">
        <span>Save to (a new file, or a directory of this machine)</span>
        <input
          required
          value={to}
          placeholder="~/saved/"
          onInput={(event) => setTo(event.currentTarget.value)}
        />
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={replace}
          onChange={(event) => setReplace(event.currentTarget.checked)}
        />
        <span>Replace what is there</span>
      </label>
      <button type="submit" disabled={isBusy || to.trim() === ''}>
        Save
      </button>
    </form>
  );
}

interface DropButtonProps {
  readonly file: KeptView;
  readonly isBusy: boolean;
  readonly onDrop: () => Promise<void>;
}

/** Asks before it lets a file go for ever. */
function DropButton({ file: { path, sizeBytes }, isBusy, onDrop }: DropButtonProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const close = (): void => dialog.current?.close();
  return (
    <>
      <button
        type="button"
        class="danger"
        disabled={isBusy}
        aria-label={`Drop ${path}`}
        onClick={() => dialog.current?.showModal()}
      >
        Drop…
      </button>
      <dialog ref={dialog} aria-label={`Drop ${path}?`}>
        <p>
          <strong>Drop this file for ever?</strong>
        </p>
        <p class="path">{path}</p>
        <p>
          {describeSize(sizeBytes)} are on this machine only. Nothing brings them back: save the file first,
          if you are not sure.
        </p>
        <div class="buttons">
          <button type="button" onClick={close}>
            Keep it
          </button>
          <button
            type="button"
            class="danger"
            onClick={() => {
              close();
              void onDrop();
            }}
          >
            Drop for ever
          </button>
        </div>
      </dialog>
    </>
  );
}
