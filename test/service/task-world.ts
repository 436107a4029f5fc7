import { expect } from 'vitest';
import { waitUntil } from '../support/wait-until.ts';
import type { Answer, TestUser } from './test-service.ts';

const ENDS = ['COMPLETED', 'FAILED', 'ABORTED'];

/** A project whose tasks are run, by one user. */
export class TaskWorld {
  readonly user: TestUser;
  readonly project: string;
  readonly root: string;
  #apps = 0;

  static async make(user: TestUser, name = 'Runs'): Promise<TaskWorld> {
    const { id, root_folder } = await user.project(name);
    return new TaskWorld(user, id, root_folder);
  }

  private constructor(user: TestUser, project: string, root: string) {
    this.user = user;
    this.project = project;
    this.root = root;
  }

  /** Installs a tool or workflow. */
  async install(document: object): Promise<string> {
    this.#apps += 1;
    const id = `${this.project}/app${this.#apps}`;
    expect(await this.user.post(`/apps/${id}/raw`, { cwlVersion: 'v1.2', ...document })).toMatchObject({
      status: 200,
    });
    return id;
  }

  /** Installs a tool that is a shell script; `$1` and so on are its inputs in their order. */
  async script(script: string, tool: object = {}): Promise<string> {
    return this.install({
      class: 'CommandLineTool',
      baseCommand: ['sh', '-c', script, 'sh'],
      inputs: [],
      outputs: [],
      ...tool,
    });
  }

  async run(app: string, inputs: object = {}, more: object = {}): Promise<string> {
    const asked = { project: this.project, app, inputs, name: 'Run', ...more };
    const { status, body } = await this.user.post('/tasks?action=run', asked);
    expect([status, body.errors ?? body]).toEqual([200, []]);
    return body.id;
  }

  async task(id: string): Promise<Answer['body']> {
    return (await this.user.get(`/tasks/${id}`)).body;
  }

  /** The task once it has ended. */
  async ended(id: string): Promise<Answer['body']> {
    return this.until(id, ({ status }) => ENDS.includes(status));
  }

  async until(id: string, condition: (task: Answer['body']) => boolean): Promise<Answer['body']> {
    const look = async (): Promise<Answer['body']> => {
      const task = await this.task(id);
      return condition(task) ? task : undefined;
    };
    return waitUntil(look, { timeoutMs: 55_000, what: `task ${id} as expected` });
  }

  async text(fileId: string): Promise<string> {
    return (await this.user.download(fileId)).text();
  }

  /** The log of a task that has one. */
  async log(id: string): Promise<string> {
    const { body } = await this.user.get(`/tasks/${id}/execution_details`);
    return this.text(body.jobs[0].logs['task.log']);
  }

  /** Names in a folder, the root unless another is given. */
  async names(folder = this.root): Promise<string[]> {
    const { body } = await this.user.get(`/files/${folder}/list?limit=100`);
    return body.items.map(({ name }: Answer['body']) => name);
  }
}

export function file(id: string): object {
  return { class: 'File', path: id };
}

export function folder(id: string): object {
  return { class: 'Directory', path: id };
}
