/**
 * The secret parts of the credentials of volumes, encrypted: `aes-256-gcm:KEY ID:BASE64`, where the bytes are nonce, tag
 * and text. The id of the volume is authenticated with them, so that a secret that was laid into another volume's row
 * cannot be used there.
 *
 * They are opened where a store is asked, and nowhere else: no answer, job, log or audit entry holds one.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { type SecretKey, SecretKeyError, type SecretKeys } from '../operations/secrets/secret-keys.ts';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The secret part of credentials, by its field. */
export type VolumeSecret = Readonly<Record<string, string>>;

/** The row of a volume's secret. */
export interface SecretRow {
  readonly id: string;
  readonly secret: string | null;
}

export class VolumeSecrets {
  readonly #keys: SecretKeys;

  constructor(keys: SecretKeys) {
    this.#keys = keys;
  }

  /** @returns What the table is to hold. @throws SecretKeyError */
  async seal(volumeId: string, secret: VolumeSecret): Promise<string> {
    const [key] = await this.#keys.read();
    return seal(key, volumeId, JSON.stringify(secret));
  }

  /** @throws SecretKeyError when the key is gone, or the row is not as it was written */
  async open({ id, secret }: SecretRow): Promise<VolumeSecret> {
    if (secret === null) return {};
    const keyId = keyIdOf({ id, secret });
    const key = (await this.#keys.read()).find((candidate) => candidate.id === keyId);
    if (key === undefined) {
      throw new SecretKeyError(
        `the secret of volume ${id} is encrypted with the key ${keyId}, which is not there`,
      );
    }
    try {
      return JSON.parse(unseal(key, id, secret)) as VolumeSecret;
    } catch (error) {
      throw new SecretKeyError(`the secret of volume ${id} is damaged`, { cause: error });
    }
  }

  /** The row's secret as the newest key encrypts it; undefined when it is already. @throws SecretKeyError */
  async renewed(row: SecretRow): Promise<string | undefined> {
    const [key] = await this.#keys.read();
    if (row.secret === null || keyIdOf(row) === key.id) return undefined;
    const secret = isKeptInTheClear(row) ? (JSON.parse(row.secret) as VolumeSecret) : await this.open(row);
    return seal(key, row.id, JSON.stringify(secret));
  }
}

/** Whether the row is of a version that did not encrypt secrets. */
export function isKeptInTheClear({ secret }: SecretRow): boolean {
  return secret !== null && !secret.startsWith(`${ALGORITHM}:`);
}

/** With which key a secret was encrypted; undefined when with none. */
export function keyIdOf(row: SecretRow): string | undefined {
  return isKeptInTheClear(row) ? undefined : row.secret?.split(':', 2)[1];
}

function seal(key: SecretKey, volumeId: string, text: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key.bytes, nonce, { authTagLength: TAG_BYTES }).setAAD(
    Buffer.from(volumeId),
  );
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return `${ALGORITHM}:${key.id}:${Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64')}`;
}

function unseal(key: SecretKey, volumeId: string, sealed: string): string {
  const bytes = Buffer.from(sealed.slice(sealed.lastIndexOf(':') + 1), 'base64');
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(ALGORITHM, key.bytes, nonce, { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(volumeId))
    .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  const text = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
  return text.toString('utf8');
}

export interface HasVolumeSecrets {
  /** Opens and encrypts the secrets of volumes. */
  readonly volumeSecrets: VolumeSecrets;
}
