import type { Command } from 'commander';
import { SECRETS_OPTIONS, type SecretsOptions } from '../../config/admin-options.ts';
import { secretKeysGiven } from '../../config/secret-key.ts';
import { openSecretKeys } from '../../service/operations/secrets/open-secret-keys.ts';
import { SecretKeyFile } from '../../service/operations/secrets/secret-key-file.ts';
import { wrapped } from '../describe/help-format.ts';
import { printJson } from '../describe/print-table.ts';
import { adminCommand, adminGroup, withOperator } from './admin-command.ts';

const DETAILS = `
The secrets of volumes are encrypted with the first of the service's keys; the others only decrypt.

Keys in a file: the command puts a new key in front and encrypts every secret with it; the service may run meanwhile. The
previous key stays in the file, for backups of the database; older keys are removed.

Keys in SVCFS_SECRET_KEY: give the service and this command "NEW OLD", restart the service, run this, and give the
service the new one alone. openssl rand -hex 32 makes a key.`;

export function addSecretCommands(admin: Command): void {
  const secrets = adminGroup(admin, 'secrets', 'Change the keys that encrypt the secrets of volumes.');
  adminCommand(secrets, 'rekey', {
    description: 'Encrypt the secrets of all volumes with a new key.',
    options: SECRETS_OPTIONS,
  })
    .addHelpText('after', wrapped(DETAILS))
    .action(renew);
}

async function renew(options: SecretsOptions): Promise<void> {
  const { secretKeyFile, database: databaseUrl, json } = options;
  await withOperator(options, async ({ store, operator, dataDir }) => {
    const secretKeys = secretKeysGiven(secretKeyFile, process.env);
    const keys = await openSecretKeys({ secretKeys, databaseUrl, dataDir });
    const { rekey } = await import('../../service/operator/rekey.ts');
    const { keyId, count } = await rekey(store, operator, keys);
    if (json) return printJson({ key: keyId, count });
    const where = keys instanceof SecretKeyFile ? `, the first in ${keys.path}` : '';
    console.log(`${count} ${count === 1 ? 'secret' : 'secrets'} encrypted with the key ${keyId}${where}`);
  });
}
