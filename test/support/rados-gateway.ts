import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { dirSync } from 'tmp';
import { freePort } from './free-port.ts';
import { mustRun } from './run.ts';
import { waitUntil } from './wait-until.ts';

/** A person of the store, with an account of their own. */
export interface StoreUser {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** The key by which `cloud:kms` may encrypt. */
export const KMS_KEY = 'lab-key';
/** On a machine where everything starts at once. */
const START_MS = 60_000;

export const RARE_STORAGE_CLASS = 'STANDARD_IA';

/**
 * A real S3 server of a test's own: the gateway of Ceph on a cluster of one, whose disk is memory. It checks signatures,
 * rights and ETags as the protocol says, which makes it worth its ten seconds.
 */
export class RadosGateway {
  readonly endpoint: string;
  readonly #directory: string;
  readonly #remove: () => void;
  readonly #daemons: ChildProcess[] = [];

  /** @param roles Gives out roles; then it does not tell an unknown access key from a missing right. */
  static async start({ roles = false } = {}): Promise<RadosGateway> {
    const directory = dirSync({ prefix: 'svcfs-s3', unsafeCleanup: true });
    const gateway = new RadosGateway(directory, await freePort());
    try {
      await gateway.#startCluster(roles);
      await gateway.#startGateway();
      return gateway;
    } catch (error) {
      await gateway.stop();
      throw error;
    }
  }

  private constructor(directory: { readonly name: string; removeCallback(): void }, port: number) {
    this.endpoint = `http://127.0.0.1:${port}`;
    this.#directory = directory.name;
    this.#remove = () => directory.removeCallback();
  }

  async createUser(name: string): Promise<StoreUser> {
    const user = { accessKeyId: `KEY-${name}`, secretAccessKey: randomBytes(20).toString('hex') };
    const keys = ['--access-key', user.accessKeyId, '--secret-key', user.secretAccessKey];
    await this.#admin('user', 'create', '--uid', name, '--display-name', name, ...keys);
    return user;
  }

  /**
   * A role that one user may take on, and that may do everything with some buckets. This gateway knows no external ids: a policy that demands one refuses all.
   *
   * @returns its ARN
   */
  async createRole(name: string, { user, buckets }: { user: string; buckets: string }): Promise<string> {
    const Principal = { AWS: [`arn:aws:iam:::user/${user}`] };
    const trust = { Effect: 'Allow', Principal, Action: ['sts:AssumeRole'] };
    const role = ['--role-name', name];
    const made = await this.#admin('role', 'create', ...role, '--assume-role-policy-doc', policy(trust));
    const Resource = [`arn:aws:s3:::${buckets}`, `arn:aws:s3:::${buckets}/*`];
    const rights = policy({ Effect: 'Allow', Action: ['s3:*'], Resource });
    await this.#admin('role-policy', 'put', ...role, '--policy-name', 'rights', '--policy-doc', rights);
    return JSON.parse(made).Arn;
  }

  async withdrawRole(name: string): Promise<void> {
    await this.#admin('role-policy', 'delete', '--role-name', name, '--policy-name', 'rights');
    await this.#admin('role', 'delete', '--role-name', name);
  }

  client(user: StoreUser): S3Client {
    return new S3Client({
      endpoint: this.endpoint,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials: user,
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    });
  }

  async createBucket(user: StoreUser, name: string): Promise<void> {
    await this.client(user).send(new CreateBucketCommand({ Bucket: name }));
  }

  async stop(): Promise<void> {
    for (const daemon of this.#daemons.splice(0).reverse()) {
      if (daemon.exitCode !== null || daemon.signalCode !== null) continue;
      const exited = once(daemon, 'exit');
      // Nothing is worth writing back.
      daemon.kill('SIGKILL');
      await exited;
    }
    this.#remove();
  }

  async #startCluster(roles: boolean): Promise<void> {
    for (const name of ['mon', 'osd', 'rgw', 'run', 'log']) await mkdir(this.#path(name));
    const [v2, v1] = [await freePort(), await freePort()];
    const configured = configuration(this.#directory, { v2, v1, s3: this.endpoint });
    await writeFile(this.#path('ceph.conf'), roles ? configured + roleConfiguration() : configured);
    await this.#makeKeys();
    const map = this.#path('monmap');
    const monitors = `[v2:127.0.0.1:${v2},v1:127.0.0.1:${v1}]`;
    await mustRun('monmaptool', ['--create', '--fsid', await this.#fsid(), '--addv', 'a', monitors, map]);
    await this.#ceph('ceph-mon', '--mkfs', '-i', 'a', '--monmap', map, '--keyring', this.#path('keyring'));
    this.#startDaemon('ceph-mon', '-i', 'a');
    await this.#ceph('ceph', 'auth', 'import', '-i', this.#path('keyring'));
    const disk = randomUUID();
    await this.#ceph('ceph', 'osd', 'new', disk);
    await this.#ceph('ceph-osd', '-i', '0', '--mkfs', '--osd-uuid', disk);
    await this.#ceph('ceph', 'osd', 'crush', 'add', 'osd.0', '1.0', 'host=h', 'root=default');
    this.#startDaemon('ceph-osd', '-i', '0');
    await waitUntil(async () => / 1 up/.test(await this.#ceph('ceph', 'osd', 'stat')), {
      what: 'the disk of the cluster',
      timeoutMs: START_MS,
    });
  }

  async #startGateway(): Promise<void> {
    // Makes the zone that the next commands change.
    await this.#admin('user', 'list');
    const place = ['--placement-id', 'default-placement', '--storage-class', RARE_STORAGE_CLASS];
    await this.#admin('zonegroup', 'placement', 'add', '--rgw-zonegroup', 'default', ...place);
    const pool = ['--data-pool', 'default.rgw.rare.data'];
    await this.#admin('zone', 'placement', 'add', '--rgw-zone', 'default', ...place, ...pool);
    this.#startDaemon('radosgw', '-n', 'client.rgw');
    await waitUntil(
      () =>
        fetch(this.endpoint).then(
          (answer) => answer.text().then(() => true),
          () => false,
        ),
      { what: 'the gateway', timeoutMs: START_MS },
    );
  }

  async #makeKeys(): Promise<void> {
    const keyring = this.#path('keyring');
    const all = ['--cap', 'mon', 'allow *', '--cap', 'osd', 'allow *', '--cap', 'mgr', 'allow *'];
    for (const [index, name] of ['mon.', 'client.admin', 'osd.0', 'client.rgw'].entries()) {
      const create = index === 0 ? ['--create-keyring'] : [];
      await mustRun('ceph-authtool', [...create, keyring, '--gen-key', '-n', name, ...all]);
    }
  }

  #admin(...args: string[]): Promise<string> {
    return this.#ceph('radosgw-admin', ...args);
  }

  #ceph(program: string, ...args: string[]): Promise<string> {
    return mustRun(program, ['-c', this.#path('ceph.conf'), ...args]);
  }

  #startDaemon(program: string, ...args: string[]): void {
    const daemon = spawn(program, ['-c', this.#path('ceph.conf'), '-f', ...args], { stdio: 'pipe' });
    const output = createWriteStream(this.#path('log', `${program}.out`));
    daemon.stdout.pipe(output);
    daemon.stderr.pipe(output);
    daemon.on('error', () => undefined);
    this.#daemons.push(daemon);
  }

  async #fsid(): Promise<string> {
    return /fsid = (\S+)/.exec(await readFile(this.#path('ceph.conf'), 'utf8'))?.[1] ?? '';
  }

  #path(...names: string[]): string {
    return join(this.#directory, ...names);
  }
}

function policy(...Statement: object[]): string {
  return JSON.stringify({ Version: '2012-10-17', Statement });
}

function configuration(
  directory: string,
  ports: { readonly v2: number; readonly v1: number; readonly s3: string },
): string {
  return `[global]
fsid = ${randomUUID()}
mon host = [v2:127.0.0.1:${ports.v2},v1:127.0.0.1:${ports.v1}]
mon initial members = a
public network = 127.0.0.0/8
cluster network = 127.0.0.0/8
public addr = 127.0.0.1
ms bind ipv6 = false
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 4
osd pool default pgp num = 4
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
osd objectstore = memstore
memstore device bytes = 2147483648
mon allow pool size one = true
mon data avail crit = 1
auth allow insecure global id reclaim = true
run dir = ${directory}/run
admin socket = ${directory}/run/$cluster-$name.$pid.asok
log file = ${directory}/log/$name.log
keyring = ${directory}/keyring
[mon.a]
mon data = ${directory}/mon
[osd.0]
osd data = ${directory}/osd
[client.rgw]
rgw data = ${directory}/rgw
rgw frontends = beast endpoint=${new URL(ports.s3).host}
rgw enable ops log = false
rgw crypt require ssl = false
rgw crypt s3 kms backend = testing
rgw crypt s3 kms encryption keys = ${KMS_KEY}=${randomBytes(32).toString('base64')}
`;
}

/** Goes on with the section of the gateway. */
function roleConfiguration(): string {
  return `rgw s3 auth use sts = true\nrgw sts key = ${randomBytes(8).toString('hex')}\n`;
}
