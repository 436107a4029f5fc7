import type { AppDocument } from '../../contract/app.ts';

/**
 * The document of an app as engines take it: without the keys of the platform, which no engine knows, and in the words
 * of the version of CWL that it names; one that names none is taken for the newest.
 *
 * @param id What the engine calls it in its log.
 */
export function engineDocument(document: AppDocument, id: string): AppDocument {
  const { cwlVersion = 'v1.2' } = document;
  return { ...(cleaned(document) as AppDocument), id, cwlVersion };
}

/** Tools lie inside of tools: the steps of a workflow have theirs in `run`. */
function cleaned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(cleaned);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([key]) => !key.startsWith('svc:'));
  const inner = Object.fromEntries(entries.map(([key, each]) => [key, cleaned(each)]));
  return isProcess(inner) ? inWordsOfV1(inner) : inner;
}

function isProcess(value: AppDocument): boolean {
  return typeof value['class'] === 'string' && 'inputs' in value && 'outputs' in value;
}

/**
 * The field `description` of the drafts of CWL is `doc` since version 1.0 (change log of the CWL v1.0 specification).
 */
function inWordsOfV1({ description, ...rest }: AppDocument): AppDocument {
  return description === undefined || rest['doc'] !== undefined ? rest : { ...rest, doc: description };
}

/**
 * Images of the containers that the app and its steps are to run in.
 *
 * @param kind `requirements`: without which they cannot be run. `hints`: without which they may.
 */
export function containerImages(document: unknown, kind: 'requirements' | 'hints'): string[] {
  if (Array.isArray(document)) return document.flatMap((each) => containerImages(each, kind));
  if (typeof document !== 'object' || document === null) return [];
  const { requirements, hints, ...rest } = document as AppDocument;
  const own = classOf(kind === 'hints' ? hints : requirements, 'DockerRequirement');
  const images = own.map(({ dockerPull, dockerImageId }) =>
    String(dockerPull ?? dockerImageId ?? 'without a name'),
  );
  return [...images, ...Object.values(rest).flatMap((each) => containerImages(each, kind))];
}

/** Requirements are written as a list or as an object by their class. */
function classOf(requirements: unknown, name: string): AppDocument[] {
  if (Array.isArray(requirements)) return requirements.filter((each) => each?.class === name);
  const found = (requirements as AppDocument | null | undefined)?.[name];
  return found === undefined || found === null ? [] : [found as AppDocument];
}
