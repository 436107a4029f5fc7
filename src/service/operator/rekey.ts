import { SecretKeyFile } from '../operations/secrets/secret-key-file.ts';
import type { SecretKeys } from '../operations/secrets/secret-keys.ts';
import type { Store } from '../store/store.ts';
import { renewSecrets } from '../volumes/renew-secrets.ts';
import { keyIdOf, VolumeSecrets } from '../volumes/volume-secrets.ts';
import { volumesIn } from '../volumes/volume-table.ts';
import type { Operator } from './operator.ts';

export interface Rekeyed {
  /** Of the key that encrypts now. */
  readonly keyId: string;
  /** How many secrets were encrypted anew. */
  readonly count: number;
}

/**
 * Encrypts every secret with another key, beside a running service. Keys in a file get a new one in front; the one before
 * it stays for what other processes are writing just now and for backups, and older ones go. Keys that were given as text
 * are the operator's to change: put the new one in front of the old, and this encrypts with it.
 */
export async function rekey(store: Store, operator: Operator, keys: SecretKeys): Promise<Rekeyed> {
  const [current] = await keys.read();
  if (keys instanceof SecretKeyFile) {
    const used = (await volumesIn(store).secrets()).map((row) => keyIdOf(row) ?? '');
    await keys.addKey(new Set([current.id, ...used]));
  }
  const [{ id: keyId }] = await keys.read();
  const count = await renewSecrets(store, new VolumeSecrets(keys));
  await operator.recordRekey(keyId, count);
  return { keyId, count };
}
