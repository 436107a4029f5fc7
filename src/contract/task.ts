import { type Static, Type } from 'typebox';
import { Cost } from './money.ts';
import { pageQueryProperties } from './paging.ts';
import { Count, Nullable, RequestBody, Timestamp } from './schema-kinds.ts';

/** Values by the name of the input or output; null where unset or not produced. A file is `{class, path: id, name}`. */
export const TaskValues = Type.Record(Type.String(), Type.Unknown());
export type TaskValues = Static<typeof TaskValues>;

/** The words for `type` are `ITEM` and `CRITERIA`; others are refused by the call (7017). */
export const BatchBy = RequestBody({
  type: Type.String(),
  /** `metadata.{key}` of the files; with CRITERIA. */
  criteria: Type.Optional(Nullable(Type.Array(Type.String()))),
});
export type BatchBy = Static<typeof BatchBy>;

/** The group that a task of a batch stands for: the item, or the values of the criteria that its files share. */
export const BatchGroup = Type.Object({
  value: Type.String(),
  fields: Type.Record(Type.String(), Type.String()),
});
export type BatchGroup = Static<typeof BatchGroup>;

/** Counts are of the tasks of a batch, or of the one task; durations in milliseconds. */
export const ExecutionStatus = Type.Object({
  message: Type.String(),
  queued: Type.Optional(Count),
  running: Type.Optional(Count),
  completed: Type.Optional(Count),
  failed: Type.Optional(Count),
  aborted: Type.Optional(Count),
  duration: Type.Optional(Count),
  /** Waiting for a worker, and at work. */
  queued_duration: Type.Optional(Count),
  running_duration: Type.Optional(Count),
  execution_duration: Type.Optional(Count),
  /** Of a workflow. */
  steps_completed: Type.Optional(Count),
  steps_total: Type.Optional(Count),
});
export type ExecutionStatus = Static<typeof ExecutionStatus>;

export const ExecutionSettings = RequestBody({
  instance_type: Type.Optional(Nullable(Type.String())),
  max_parallel_instances: Type.Optional(Nullable(Type.Integer({ minimum: 1 }))),
  use_memoization: Type.Optional(Nullable(Type.Boolean())),
  use_elastic_disk: Type.Optional(Nullable(Type.Boolean())),
});
export type ExecutionSettings = Static<typeof ExecutionSettings>;

export const TaskResource = Type.Object({
  href: Type.String(),
  /** A UUID. */
  id: Type.String(),
  name: Type.String(),
  description: Type.String(),
  status: Type.String(),
  project: Type.String(),
  /** With its revision. */
  app: Type.String(),
  /** Always `v2`. */
  type: Type.String(),
  created_by: Type.String(),
  created_time: Timestamp,
  executed_by: Type.Optional(Type.String()),
  start_time: Type.Optional(Timestamp),
  end_time: Type.Optional(Timestamp),
  use_interruptible_instances: Type.Boolean(),
  execution_status: ExecutionStatus,
  inputs: TaskValues,
  outputs: TaskValues,
  /** Why a draft cannot be run, or why a task failed. */
  errors: Type.Array(Type.String()),
  warnings: Type.Array(Type.String()),
  batch: Type.Boolean(),
  batch_by: Type.Optional(BatchBy),
  batch_input: Type.Optional(Type.String()),
  batch_group: Type.Optional(BatchGroup),
  /** The batch it belongs to. */
  parent: Type.Optional(Type.String()),
  execution_settings: Type.Optional(ExecutionSettings),
  output_location: Type.Optional(TaskValues),
  /** From the first run on. */
  price: Type.Optional(Cost),
  origin_id: Type.Optional(Type.String()),
});
export type TaskResource = Static<typeof TaskResource>;

/** Fields of an item of `GET /tasks` when `fields` is not given. */
export const TASK_LIST_FIELDS = ['href', 'id', 'name', 'project'] as const;

/** Instants are ISO 8601; without a zone they are UTC. Both ends are included. */
export const TaskListQuery = Type.Object({
  ...pageQueryProperties,
  project: Type.Optional(Type.String()),
  /** One of `TASK_STATUSES`, else refused by the call (7006). */
  status: Type.Optional(Type.String()),
  parent: Type.Optional(Type.String()),
  batch: Type.Optional(Type.Boolean()),
  created_from: Type.Optional(Type.String()),
  created_to: Type.Optional(Type.String()),
  started_from: Type.Optional(Type.String()),
  started_to: Type.Optional(Type.String()),
  ended_from: Type.Optional(Type.String()),
  ended_to: Type.Optional(Type.String()),
  origin_id: Type.Optional(Type.String()),
  order_by: Type.Union(
    [
      Type.Literal('created_time'),
      Type.Literal('start_time'),
      Type.Literal('end_time'),
      Type.Literal('name'),
      Type.Literal('created_by'),
    ],
    { default: 'created_time' },
  ),
  order: Type.Union([Type.Literal('asc'), Type.Literal('desc')], { default: 'desc' }),
});
export type TaskListQuery = Static<typeof TaskListQuery>;

const editable = {
  name: Type.Optional(Nullable(Type.String())),
  description: Type.Optional(Nullable(Type.String())),
  /** With a revision or without: the newest. */
  app: Type.Optional(Type.String()),
  inputs: Type.Optional(Nullable(TaskValues)),
  batch: Type.Optional(Nullable(Type.Boolean())),
  batch_input: Type.Optional(Nullable(Type.String())),
  batch_by: Type.Optional(Nullable(BatchBy)),
  use_interruptible_instances: Type.Optional(Nullable(Type.Boolean())),
  execution_settings: Type.Optional(Nullable(ExecutionSettings)),
  output_location: Type.Optional(Nullable(TaskValues)),
};

/** `POST /tasks`; project and app are demanded by the call (3006, 7015). */
export const CreateTaskBody = RequestBody({
  ...editable,
  project: Type.Optional(Type.String()),
  /** The creator of the task, such as an automation; kept, and a filter of the list. */
  origin_id: Type.Optional(Nullable(Type.String())),
});
export type CreateTaskBody = Static<typeof CreateTaskBody>;

export const CreateTaskQuery = Type.Object({
  /** `run`: run it at once unless it has errors; another word is refused by the call (7009). */
  action: Type.Optional(Type.String()),
  /** False: one task, although batch settings are given. */
  batch: Type.Boolean({ default: true }),
  fields: Type.Optional(Type.String()),
});
export type CreateTaskQuery = Static<typeof CreateTaskQuery>;

/** `PATCH /tasks/{id}`: inputs are merged; of a task that is no draft the name alone can be changed. */
export const EditTaskBody = RequestBody(editable);
export type EditTaskBody = Static<typeof EditTaskBody>;

export const RunTaskQuery = Type.Object({
  use_interruptible_instances: Type.Optional(Type.Boolean()),
  /** False: run a batch as one task. */
  batch: Type.Boolean({ default: true }),
  fields: Type.Optional(Type.String()),
});
export type RunTaskQuery = Static<typeof RunTaskQuery>;

export const CloneTaskQuery = Type.Object({
  action: Type.Optional(Type.String()),
  fields: Type.Optional(Type.String()),
});
export type CloneTaskQuery = Static<typeof CloneTaskQuery>;

/** A tool that ran. Logs are files of the project: names to ids. */
export const ExecutedJob = Type.Object({
  name: Type.String(),
  status: Type.String(),
  start_time: Type.Optional(Timestamp),
  end_time: Type.Optional(Timestamp),
  command_line: Type.Optional(Type.String()),
  logs: Type.Optional(Type.Record(Type.String(), Type.String())),
});
export type ExecutedJob = Static<typeof ExecutedJob>;

/** `GET /tasks/{id}/execution_details`: one job for each tool that ran. */
export const ExecutionDetails = Type.Object({
  href: Type.String(),
  start_time: Type.Optional(Timestamp),
  end_time: Type.Optional(Timestamp),
  status: Type.String(),
  message: Type.String(),
  jobs: Type.Array(ExecutedJob),
});
export type ExecutionDetails = Static<typeof ExecutionDetails>;
