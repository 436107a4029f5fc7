import type { Store } from '../store/store.ts';
import type { SecretRow, VolumeSecrets } from './volume-secrets.ts';
import { volumesIn } from './volume-table.ts';

/**
 * Encrypts secrets with the newest key, except those that have it already. The old bytes are then removed from the files
 * of the database too. Safe beside a running service.
 *
 * @param chosen Which ones; all by default.
 *
 * @returns How many were encrypted anew
 */
export async function renewSecrets(
  store: Store,
  secrets: VolumeSecrets,
  chosen: (row: SecretRow) => boolean = () => true,
): Promise<number> {
  let count = 0;
  for (const row of (await volumesIn(store).secrets()).filter(chosen)) {
    const renewed = await secrets.renewed(row);
    if (renewed !== undefined && (await volumesIn(store).replaceSecret(row, renewed))) count += 1;
  }
  if (count > 0) await store.scrub();
  return count;
}
