import { Type } from 'typebox';
import { NoContent } from '../../contract/answers.ts';
import { FieldsQuery, PageOf } from '../../contract/paging.ts';
import {
  CreateTaskBody,
  CreateTaskQuery,
  EditTaskBody,
  TASK_LIST_FIELDS,
  TaskListQuery,
  TaskResource,
} from '../../contract/task.ts';
import type { HasClock } from '../../lib/clock.ts';
import type { App } from '../http/fastify-types.ts';
import { pageAnswer } from '../http/page-answer.ts';
import type { HasJobSignals } from '../jobs/job-signals.ts';
import type { HasStore } from '../store/store.ts';
import { createTask } from './create-task.ts';
import { deleteTask, editTask } from './edit-task.ts';
import type { HasExecutor, HasTaskRunner } from './executor.ts';
import { listTasks } from './list-tasks.ts';
import { taskFor } from './task-access.ts';
import { isRunAction } from './task-details.ts';
import { taskAnswer, taskAnswers } from './task-resource.ts';

const TaskPath = Type.Object({ task_id: Type.String() });

export function taskRoutes(
  app: App,
  services: HasStore & HasJobSignals & HasExecutor & HasTaskRunner & HasClock,
): void {
  collectionRoutes(app, services);
  detailRoutes(app, services);
}

function collectionRoutes(
  app: App,
  services: HasStore & HasJobSignals & HasExecutor & HasTaskRunner & HasClock,
): void {
  app.get(
    '/tasks',
    {
      schema: { querystring: TaskListQuery, response: { 200: PageOf(TaskResource) } },
      config: { listFields: TASK_LIST_FIELDS },
    },
    async (request, reply) => {
      const { offset, limit } = request.query;
      const { rows, total } = await listTasks(services, request.caller, request.query);
      const items = await taskAnswers(services.store, rows, request.view);
      return pageAnswer(request, reply, { offset, limit, items, total });
    },
  );

  app.post(
    '/tasks',
    { schema: { querystring: CreateTaskQuery, body: CreateTaskBody, response: { 200: TaskResource } } },
    async ({ caller, view, query, body }) => {
      const create = { body, batch: query.batch, run: isRunAction(query.action) };
      return taskAnswer(services.store, await createTask(services, caller, create), view);
    },
  );
}

function detailRoutes(app: App, services: HasStore & HasTaskRunner): void {
  const { store } = services;
  const url = '/tasks/:task_id';
  const schema = { params: TaskPath, querystring: FieldsQuery, response: { 200: TaskResource } };
  app.get(url, { schema }, async ({ caller, view, params }) =>
    taskAnswer(store, await taskFor(store, caller, params.task_id), view),
  );

  app.patch(url, { schema: { ...schema, body: EditTaskBody } }, async ({ caller, view, params, body }) =>
    taskAnswer(store, await editTask(services, caller, { id: params.task_id, body }), view),
  );

  app.delete(
    url,
    { schema: { params: TaskPath, response: { 204: NoContent } } },
    async ({ caller, params }, reply) => {
      await deleteTask(services, caller, params.task_id);
      return reply.code(204).send();
    },
  );
}
