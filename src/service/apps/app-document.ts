/**
 * Documents of apps. A user's document is kept as it was given. The service adds its facts about a revision whenever the
 * document is shown: its author, its time, the other revisions. So the newest revision is right in all of them.
 */
import type { AppDocument } from '../../contract/app.ts';
import { ServiceError } from '../http/service-error.ts';
import { toStorableText } from '../store/storable-text.ts';
import type { AppRevisionNote, AppRow } from './app-table.ts';

const CLASSES = ['CommandLineTool', 'Workflow', 'ExpressionTool'];
const NAME_LENGTH_MAX = 255;

/** The fields that a document may set itself, with their defaults. */
const OWN_DEFAULTS: AppDocument = {
  'svc:categories': [],
  'svc:toolkit': '',
  'svc:toolkitVersion': '',
  'svc:toolAuthor': '',
  'svc:license': '',
  'svc:links': [],
  'svc:cmdPreview': '',
  'svc:job': {},
  'svc:image_url': null,
};

/** @throws ServiceError 6007, 6008 */
export function checkDocument(document: AppDocument | null | undefined): AppDocument {
  if (document === null || document === undefined) throw new ServiceError(6007);
  const { class: kind } = document;
  if (typeof kind !== 'string' || !CLASSES.includes(kind)) {
    throw new ServiceError(6008, `The class of an app is one of ${CLASSES.join(', ')}.`);
  }
  for (const ports of ['inputs', 'outputs']) {
    const given = document[ports];
    if (typeof given !== 'object' || given === null) {
      throw new ServiceError(6008, `An app must have ${ports}: a list, or an object by their ids.`);
    }
  }
  return document;
}

/** The document of one revision with every key that the service fills. Times are seconds since the epoch. */
export function filledDocument(
  document: AppDocument,
  about: { readonly app: AppRow; readonly revision: number; readonly revisions: readonly AppRevisionNote[] },
): AppDocument {
  const { app, revision, revisions } = about;
  const [first] = revisions;
  const own = revisions.find((other) => other.revision === revision);
  const id = `${app.id}/${revision}`;
  return {
    ...document,
    ...Object.fromEntries(Object.entries(OWN_DEFAULTS).map(([key, value]) => [key, document[key] ?? value])),
    id,
    'svc:id': id,
    'svc:project': app.project_id,
    'svc:revision': revision,
    'svc:latestRevision': app.latest_revision,
    'svc:revisionsInfo': revisions.map((other) => ({
      'svc:revision': other.revision,
      'svc:modifiedOn': seconds(other.created_on),
      'svc:modifiedBy': other.created_by,
      'svc:revisionNotes': other.notes,
    })),
    'svc:createdOn': seconds(first?.created_on ?? app.created_on),
    'svc:createdBy': first?.created_by ?? null,
    'svc:modifiedOn': seconds(own?.created_on ?? app.created_on),
    'svc:modifiedBy': own?.created_by ?? null,
    'svc:contributors': [...new Set(revisions.map(({ created_by }) => created_by))],
    'svc:validationErrors': [],
    'svc:sbgMaintained': false,
    ...(app.copy_of === null ? {} : { 'svc:copyOf': `${app.copy_of}/${app.copy_of_revision}` }),
  };
}

function seconds(stored: string): number {
  return Math.floor(Date.parse(stored) / 1000);
}

/** The name of the app for people: its label, else its short name. */
export function appName(document: AppDocument, shortName: string): string {
  const { label } = document;
  const name = typeof label === 'string' ? toStorableText(label.slice(0, NAME_LENGTH_MAX)) : '';
  return name.trim() === '' ? shortName : name;
}

/** The notes on this revision, if any. */
export function revisionNotes(document: AppDocument): string | null {
  const notes = document['svc:revisionNotes'];
  return typeof notes === 'string' ? toStorableText(notes) : null;
}

/**
 * Everything that a search for apps looks at, in lower case: name, label, toolkit, its version, category, tagline,
 * description. A line each: terms hold no white space, so none matches across two of them.
 */
export function searchText(name: string, document: AppDocument): string {
  const fields = [
    'label',
    'svc:toolkit',
    'svc:toolkitVersion',
    'svc:categories',
    'svc:tagline',
    'description',
  ];
  const texts = [name, ...fields.flatMap((field) => document[field] ?? []), document['doc'] ?? ''];
  return toStorableText(texts.filter((text) => typeof text === 'string').join('\n')).toLowerCase();
}
