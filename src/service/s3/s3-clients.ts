import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { LookupFunction } from 'node:net';
import { S3Client } from '@aws-sdk/client-s3';
import { STSClient } from '@aws-sdk/client-sts';
import { LRUCache } from 'lru-cache';
import { assumedRole, type S3Role, type SessionKeys } from './assumed-role.ts';

export interface S3Keys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** Everything a client of a store is made of. */
export interface S3Access {
  /** Undefined: AWS's own of the region. */
  readonly endpoint: string | undefined;
  /** Undefined: from the environment or a profile. */
  readonly region: string | undefined;
  readonly pathStyle: boolean;
  /**
   * Undefined: from the environment, a profile or the machine's role, as the SDK finds them. Those take on a role, which
   * the store itself gives (AWS: STS of the region).
   */
  readonly keys: S3Keys | S3Role | undefined;
}

/** What all clients of the SDK take. */
interface Connection {
  readonly requestHandler: {
    readonly httpAgent: HttpAgent;
    readonly httpsAgent: HttpsAgent;
    readonly connectionTimeout: number;
    readonly socketTimeout: number;
  };
  readonly region?: string;
  readonly endpoint?: string;
}

const CLIENTS_REMEMBERED = 200;
const SOCKETS_PER_STORE = 128;
const CONNECT_MS = 10_000;
/** A store is silent for minutes while it joins thousands of parts, or copies gigabytes. */
const SILENCE_MS = 300_000;

/** Clients of stores, which share their connections. */
export class S3Clients {
  readonly #clients = new LRUCache<string, S3Client>({ max: CLIENTS_REMEMBERED });
  readonly #httpAgent: HttpAgent;
  readonly #httpsAgent: HttpsAgent;

  /** @param lookup Resolves the names of endpoints; the system's way when left out */
  constructor(lookup?: LookupFunction) {
    const options = {
      keepAlive: true,
      maxSockets: SOCKETS_PER_STORE,
      ...(lookup === undefined ? {} : { lookup }),
    };
    this.#httpAgent = new HttpAgent(options);
    this.#httpsAgent = new HttpsAgent(options);
  }

  get(access: S3Access): S3Client {
    const key = JSON.stringify(access);
    const client = this.#clients.get(key) ?? this.#make(access);
    this.#clients.set(key, client);
    return client;
  }

  #make(access: S3Access): S3Client {
    const { pathStyle, keys } = access;
    return new S3Client({
      ...this.#connection(access),
      forcePathStyle: pathStyle,
      followRegionRedirects: true,
      // The SDK's own checksums are unknown to many stores, and would be part of signed addresses.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      ...(keys === undefined ? {} : { credentials: this.#credentials(keys, access) }),
    });
  }

  #credentials(keys: S3Keys | S3Role, access: S3Access): S3Keys | (() => Promise<SessionKeys>) {
    if ('accessKeyId' in keys) return { ...keys };
    return assumedRole(keys, new STSClient(this.#connection(access)));
  }

  #connection({ endpoint, region }: S3Access): Connection {
    return {
      requestHandler: {
        httpAgent: this.#httpAgent,
        httpsAgent: this.#httpsAgent,
        connectionTimeout: CONNECT_MS,
        socketTimeout: SILENCE_MS,
      },
      ...(region === undefined ? {} : { region }),
      ...(endpoint === undefined ? {} : { endpoint }),
    };
  }
}
