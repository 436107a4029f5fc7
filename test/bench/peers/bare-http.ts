import { Agent, get } from 'node:http';
import { text } from 'node:stream/consumers';
import { ADVANCE_ACCESS, ADVANCE_ACCESS_HEADER, AUTH_TOKEN_HEADER } from '../../../src/contract/headers.ts';
import type { ServerAt } from '../server/server-side.ts';

/**
 * The calls that the first byte of a file takes, over warm connections (two to the API, one to the storage), and nothing
 * else.
 */
export class BareHttp {
  readonly #endpoint: string;
  readonly #headers: Record<string, string>;
  readonly #api = new Agent({ keepAlive: true, maxSockets: 2 });
  readonly #storage = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor({ origin, dataSet }: ServerAt) {
    this.#endpoint = `${origin('platform')}/v2`;
    this.#headers = { [AUTH_TOKEN_HEADER]: dataSet.token, [ADVANCE_ACCESS_HEADER]: ADVANCE_ACCESS };
  }

  async details(id: string): Promise<{ readonly parent: string }> {
    return this.#call(`/files/${id}`);
  }

  async find(parent: string, name: string): Promise<string> {
    const { items } = await this.#call<{ items: [{ id: string }] }>(`/files?parent=${parent}&name=${name}`);
    return items[0].id;
  }

  async firstByte(id: string): Promise<void> {
    const { url } = await this.#call<{ url: string }>(`/files/${id}/download_info`);
    await this.#get(url, this.#storage, { Range: 'bytes=0-0' });
  }

  close(): void {
    this.#api.destroy();
    this.#storage.destroy();
  }

  async #call<Answer>(path: string): Promise<Answer> {
    return JSON.parse(await this.#get(`${this.#endpoint}${path}`, this.#api, this.#headers));
  }

  #get(url: string, agent: Agent, headers: Record<string, string>): Promise<string> {
    return new Promise((resolve, reject) => {
      get(url, { agent, headers }, (answer) => void text(answer).then(resolve, reject)).on('error', reject);
    });
  }
}
