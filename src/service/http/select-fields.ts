import type { FastifyRequest } from 'fastify';

/**
 * Applies the `fields` of the request to the answer: to the items of a collection, what a search found, the resources of bulk
 * entries, or the resource itself. Error objects are left alone.
 */
export function selectFields(request: FastifyRequest, answer: unknown): unknown {
  if (request.failed || typeof answer !== 'object' || answer === null || Array.isArray(answer)) return answer;
  const { selector } = request;
  const { listFields, bulk } = request.routeOptions.config;
  if (listFields !== undefined && hasItems(answer)) {
    return { ...answer, items: selector.applyToAll(answer.items, listFields) };
  }
  if (isFound(answer)) {
    return { ...answer, result_set: answer.result_set.map((resource) => selector.apply(resource)) };
  }
  if (bulk === true && hasItems(answer)) {
    return { items: answer.items.map((entry) => selectInEntry(entry, request)) };
  }
  return selector.apply(answer);
}

function hasItems(answer: object): answer is { items: object[] } {
  return 'items' in answer && Array.isArray(answer.items);
}

/** The answer to a search. */
function isFound(answer: object): answer is { result_set: object[] } {
  return 'result_set' in answer && Array.isArray(answer.result_set);
}

function selectInEntry(entry: object, { selector }: FastifyRequest): object {
  if (!('resource' in entry) || typeof entry.resource !== 'object' || entry.resource === null) return entry;
  return { ...entry, resource: selector.apply(entry.resource) };
}
