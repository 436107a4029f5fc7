import { Type } from 'typebox';
import { BulkAnswerOf, BulkTaskIdsBody } from '../../contract/bulk.ts';
import { FieldsQuery } from '../../contract/paging.ts';
import { OptionalBody } from '../../contract/schema-kinds.ts';
import {
  CloneTaskQuery,
  ExecutionDetails,
  RunTaskQuery,
  TaskResource,
  TaskValues,
} from '../../contract/task.ts';
import type { HasClock } from '../../lib/clock.ts';
import { bulkAnswer } from '../http/bulk-answer.ts';
import type { App } from '../http/fastify-types.ts';
import type { HasJobSignals } from '../jobs/job-signals.ts';
import type { HasStore } from '../store/store.ts';
import { cloneTask } from './create-task.ts';
import { editTask } from './edit-task.ts';
import type { HasExecutor, HasTaskRunner } from './executor.ts';
import { abortTask, runTask } from './start-task.ts';
import { taskFor } from './task-access.ts';
import { isRunAction, taskDetails } from './task-details.ts';
import { executionDetails, taskAnswer } from './task-resource.ts';

const TaskPath = Type.Object({ task_id: Type.String() });
const NoBody = OptionalBody(Type.Object({}));

export function taskActionRoutes(
  app: App,
  services: HasStore & HasJobSignals & HasExecutor & HasTaskRunner & HasClock,
): void {
  actionRoutes(app, services);
  inputRoutes(app, services);
  readRoutes(app, services);
}

function actionRoutes(app: App, services: HasStore & HasJobSignals & HasExecutor & HasClock): void {
  const { store } = services;
  const url = '/tasks/:task_id/actions';
  const schema = { params: TaskPath, body: NoBody, response: { 200: TaskResource } };
  app.post(
    `${url}/run`,
    { schema: { ...schema, querystring: RunTaskQuery } },
    async ({ caller, view, params, query }) => {
      const { batch, use_interruptible_instances: interruptible } = query;
      const task = await runTask(services, caller, { id: params.task_id, batch, interruptible });
      return taskAnswer(store, task, view);
    },
  );

  app.post(
    `${url}/abort`,
    { schema: { ...schema, querystring: FieldsQuery } },
    async ({ caller, view, params }) =>
      taskAnswer(store, await abortTask(services, caller, params.task_id), view),
  );

  app.post(
    `${url}/clone`,
    { schema: { ...schema, querystring: CloneTaskQuery } },
    async ({ caller, view, params, query }) => {
      const clone = { id: params.task_id, run: isRunAction(query.action) };
      return taskAnswer(store, await cloneTask(services, caller, clone), view);
    },
  );
}

function inputRoutes(app: App, services: HasStore & HasTaskRunner): void {
  const url = '/tasks/:task_id/inputs';
  const schema = { params: TaskPath, querystring: FieldsQuery, response: { 200: TaskValues } };
  app.get(url, { schema }, async ({ caller, params }) => {
    return taskDetails(await taskFor(services.store, caller, params.task_id)).inputs;
  });

  app.patch(url, { schema: { ...schema, body: TaskValues } }, async ({ caller, params, body: inputs }) => {
    return taskDetails(await editTask(services, caller, { id: params.task_id, body: { inputs } })).inputs;
  });
}

function readRoutes(app: App, { store }: HasStore): void {
  app.get(
    '/tasks/:task_id/execution_details',
    { schema: { params: TaskPath, querystring: FieldsQuery, response: { 200: ExecutionDetails } } },
    async ({ caller, view, params }) => executionDetails(await taskFor(store, caller, params.task_id), view),
  );

  app.post(
    '/bulk/tasks/get',
    {
      schema: {
        querystring: FieldsQuery,
        body: BulkTaskIdsBody,
        response: { 200: BulkAnswerOf(TaskResource) },
      },
      config: { bulk: true },
    },
    async ({ caller, view, body }) =>
      bulkAnswer(body.task_ids, view, async (id) =>
        taskAnswer(store, await taskFor(store, caller, id), view),
      ),
  );
}
