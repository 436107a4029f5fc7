import type { ExecutedTool, TaskRecord } from '../model.ts';
import { amountAt } from './amount.ts';
import {
  arrayAt,
  asObject,
  isObject,
  objectAt,
  optionalNumberAt,
  optionalTextAt,
  optionalTimeAt,
  pairsOf,
  textAt,
  type WireObject,
} from './wire.ts';

export function parseTask(body: unknown): TaskRecord {
  const object = asObject(body, 'task');
  const execution = objectAt(object, 'execution_status');
  return {
    id: textAt(object, 'id'),
    name: optionalTextAt(object, 'name') ?? '',
    status: textAt(object, 'status'),
    project: textAt(object, 'project'),
    app: optionalTextAt(object, 'app') ?? '',
    message: optionalTextAt(execution, 'message') ?? '',
    createdBy: optionalTextAt(object, 'created_by'),
    createdMs: optionalTimeAt(object, 'created_time'),
    startedMs: optionalTimeAt(object, 'start_time'),
    endedMs: optionalTimeAt(object, 'end_time'),
    price: amountAt(object, 'price'),
    errors: arrayAt(object, 'errors').map((error) =>
      typeof error === 'string' ? error : JSON.stringify(error),
    ),
    inputs: objectAt(object, 'inputs'),
    outputs: objectAt(object, 'outputs'),
    steps: stepsOf(execution),
    wire: object,
  };
}

/** The tools in an answer of `execution_details`. */
export function parseTools(body: unknown): readonly ExecutedTool[] {
  return arrayAt(asObject(body, 'execution details'), 'jobs')
    .filter(isObject)
    .map((job) => ({
      name: optionalTextAt(job, 'name') ?? '',
      status: optionalTextAt(job, 'status') ?? '',
      logs: pairsOf(job['logs']),
    }));
}

function stepsOf(execution: WireObject): TaskRecord['steps'] {
  const total = optionalNumberAt(execution, 'steps_total');
  return total === undefined
    ? undefined
    : { total, completed: optionalNumberAt(execution, 'steps_completed') ?? 0 };
}
