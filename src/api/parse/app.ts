import type { AppRecord, AppSummary } from '../model.ts';
import { asObject, objectAt, optionalTextAt, requiredNumberAt, textAt } from './wire.ts';

export function parseApp(body: unknown): AppRecord {
  const object = asObject(body, 'app');
  const id = textAt(object, 'id');
  return {
    id,
    project: textAt(object, 'project'),
    name: optionalTextAt(object, 'name') ?? '',
    revision: requiredNumberAt(object, 'revision'),
    raw: objectAt(object, 'raw'),
  };
}

export function parseAppSummary(body: unknown): AppSummary {
  const object = asObject(body, 'app');
  const id = textAt(object, 'id');
  return { id, name: optionalTextAt(object, 'name') ?? id };
}
