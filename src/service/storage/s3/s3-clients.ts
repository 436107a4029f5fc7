import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { Duplex } from 'node:stream';
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

/** The settings that all clients of the SDK take. */
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

/** Refuses connections, wherever the address to connect to came from: an endpoint, or an answer that led elsewhere. */
export interface ConnectionGuard {
  /** Resolves names. */
  readonly lookup: LookupFunction;
  /** Why a host that is an address is refused. */
  readonly refused: (host: string) => Error | undefined;
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

  /** @param guard Where connections may lead; anywhere when left out */
  constructor(guard?: ConnectionGuard) {
    const options = {
      keepAlive: true,
      maxSockets: SOCKETS_PER_STORE,
      ...(guard === undefined ? {} : { lookup: guard.lookup }),
    };
    this.#httpAgent = guardedAgent(new HttpAgent(options), guard);
    this.#httpsAgent = guardedAgent(new HttpsAgent(options), guard);
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

type Connecting = (
  options: { readonly host?: string | undefined },
  callback: (error: Error) => void,
) => Duplex | undefined;

function guardedAgent<Agent extends HttpAgent>(agent: Agent, guard: ConnectionGuard | undefined): Agent {
  if (guard === undefined) return agent;
  const connecting = agent as unknown as { createConnection: Connecting };
  const connect = connecting.createConnection.bind(agent);
  connecting.createConnection = (options, callback) => {
    const refusal = guard.refused(options.host ?? '');
    if (refusal === undefined) return connect(options, callback);
    callback(refusal);
    return undefined;
  };
  return agent;
}
