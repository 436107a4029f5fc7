import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { VolumeResource } from '../../src/contract/volume.ts';
import type { Answer, TestService, TestUser } from './test-service.ts';

/** A user's volume and the directory that is its bucket. */
export class TestVolume {
  readonly id: string;
  readonly directory: string;

  private constructor(id: string, directory: string) {
    this.id = id;
    this.directory = directory;
  }

  static async make(
    service: TestService,
    user: TestUser,
    volume: { readonly name: string; readonly access_mode?: 'RW' | 'RO'; readonly service?: object },
  ): Promise<TestVolume> {
    const { name, access_mode = 'RW' } = volume;
    const credentials = { access_key_id: 'key', secret_access_key: 'secret' };
    const { body } = await user.post('/storage/volumes', {
      name,
      access_mode,
      service: { type: 's3', bucket: name, credentials, ...volume.service },
    });
    return new TestVolume((body as VolumeResource).id, join(service.dataDir, 'buckets', name));
  }

  /** Lays a file into the bucket, as someone with access to it would. */
  async lay(key: string, content: string): Promise<void> {
    await mkdir(dirname(join(this.directory, key)), { recursive: true });
    await writeFile(join(this.directory, key), content);
  }

  read(key: string): Promise<string> {
    return readFile(join(this.directory, key), 'utf8');
  }
}

/** Submits a job, expecting that to be accepted, and answers it when it has ended. */
export async function runToEnd(user: TestUser, path: string, body: unknown): Promise<Answer['body']> {
  const submitted = await user.post(path, body);
  if (submitted.status !== 200) throw new Error(`refused: ${JSON.stringify(submitted.body)}`);
  return ended(user, submitted.body);
}

/** Follows a job through every change of its state. */
export async function ended(user: TestUser, submitted: Answer['body']): Promise<Answer['body']> {
  let job = submitted;
  while (job.finished_on === undefined) {
    const { pathname } = new URL(job.href);
    job = (await user.get(`${pathname.replace(/^\/v2/, '')}?wait=10`)).body;
  }
  return job;
}
