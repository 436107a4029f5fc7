import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { layDemo } from './lay-demo.ts';
import { Sandbox } from './sandbox.ts';

/** `svcfs serve --demo` in a process of its own, for the tests of a file. */
export interface DemoServiceProcess {
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  readonly endpoint: string;
  readonly token: string;
  /** As `svcfs admin --data` takes it. */
  readonly data: string;
  /** The variables from which `svcfs mount` takes them. */
  readonly credentials: Readonly<Record<'SVC_API_ENDPOINT' | 'SVC_AUTH_TOKEN', string>>;
  end(): Promise<void>;
}

export async function startDemoService(): Promise<DemoServiceProcess> {
  const sandbox = await Sandbox.create();
  const data = join(sandbox.root, 'service');
  const args = [
    '--demo',
    '--data',
    data,
    '--listen',
    '127.0.0.1:0',
    '--rate-limit',
    'off',
    '--internal-stats',
  ];
  await layDemo(data);
  const service = sandbox.start(['serve', ...args]);
  const [, origin = ''] = await service.says(/^listening on (\S+)\/v2$/m);
  const token = (await readFile(join(data, 'demo-token'), 'utf8')).trim();
  const endpoint = `${origin}/v2`;
  return {
    origin,
    endpoint,
    token,
    data,
    credentials: { SVC_API_ENDPOINT: endpoint, SVC_AUTH_TOKEN: token },
    end: () => sandbox.clean(),
  };
}
