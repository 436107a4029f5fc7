import { createHash } from 'node:crypto';
import type { ServedMount } from '../support/served-mount.ts';

interface Item {
  readonly id: string;
  readonly name: string;
  readonly type: 'FILE' | 'FOLDER';
}

/** The most entries of one answer. */
const PAGE = 100;

/** The files by the service itself, asked without svcfs. */
export class PlatformFiles {
  readonly #served: Pick<ServedMount, 'endpoint' | 'token'>;

  constructor(served: Pick<ServedMount, 'endpoint' | 'token'>) {
    this.#served = served;
  }

  /** Entries of a project's own directory. */
  async ofProject(project: string): Promise<readonly Item[]> {
    const { root_folder: root } = (await this.#get(`/projects/${project}`)) as {
      readonly root_folder: string;
    };
    return this.#list(root);
  }

  /** All below a folder, told as `file-worker.py` tells a tree. */
  async tree(folder: string): Promise<Record<string, unknown>> {
    const found: Record<string, unknown> = { '.': 'directory' };
    await this.#addTree(folder, '', found);
    return found;
  }

  /** Uploads that are neither completed nor aborted. */
  async uploads(): Promise<readonly { readonly upload_id: string; readonly initiated: string }[]> {
    const { items } = (await this.#get('/upload/multipart?limit=100')) as {
      readonly items: readonly { readonly upload_id: string; readonly initiated: string }[];
    };
    return items;
  }

  async #addTree(folder: string, prefix: string, found: Record<string, unknown>): Promise<void> {
    for (const { id, name, type } of await this.#list(folder)) {
      const path = `${prefix}${name}`;
      if (type === 'FOLDER') {
        found[path] = 'directory';
        await this.#addTree(id, `${path}/`, found);
      } else {
        const bytes = await this.content(id);
        const digest = createHash('md5').update(bytes).digest('hex').slice(0, 12);
        found[path] = [bytes.length, digest, bytes.length];
      }
    }
  }

  entries(folder: string): Promise<readonly Item[]> {
    return this.#list(folder);
  }

  async content(id: string): Promise<Buffer> {
    const { url } = (await this.#get(`/files/${id}/download_info`)) as { readonly url: string };
    return Buffer.from(await (await fetch(url)).arrayBuffer());
  }

  async #list(folder: string): Promise<readonly Item[]> {
    const found: Item[] = [];
    for (let last = PAGE; last === PAGE; ) {
      const query = `limit=${PAGE}&offset=${found.length}`;
      const { items } = (await this.#get(`/files/${folder}/list?${query}`)) as { readonly items: Item[] };
      found.push(...items);
      last = items.length;
    }
    return found;
  }

  async #get(path: string): Promise<unknown> {
    const { endpoint, token } = this.#served;
    const headers = { 'X-SVC-Auth-Token': token, 'X-SVC-Advance-Access': 'advance' };
    const response = await fetch(endpoint + path, { headers });
    if (!response.ok) throw new Error(`GET ${path}: ${response.status} ${await response.text()}`);
    return response.json();
  }
}
