import { access } from 'node:fs/promises';
import { homedir, userInfo } from 'node:os';
import { resolve } from 'node:path';
import type { AdminOptions } from '../../config/admin-options.ts';
import { serviceDataDirectory } from '../../config/directories.ts';
import { systemClock } from '../../lib/clock.ts';
import { messageOf } from '../../lib/message-of.ts';
import { billingGroupsIn } from '../../service/billing/billing-group-table.ts';
import { openStore, sqliteFile } from '../../service/open-store.ts';
import { auditIn } from '../../service/operations/audit/audit-table.ts';
import { Operator } from '../../service/operator/operator.ts';
import { DatabaseError, databaseFailure } from '../../service/store/database-failure.ts';
import type { Store } from '../../service/store/store.ts';
import { tokensIn } from '../../service/users/token-table.ts';
import { usersIn } from '../../service/users/user-table.ts';
import { CliError } from '../exit-codes.ts';

/** The objects that a command of `svcfs admin` works with: the service's database, beside the service if that runs. */
export interface Administration {
  readonly store: Store;
  /** Tables that commands list. Commands do not import them, for the database library would slow down every command. */
  readonly tables: ReturnType<typeof tablesOf>;
  readonly operator: Operator;
  readonly dataDir: string;
  readonly nowMs: number;
}

/** Opens the database, works with it, and closes it. @throws CliError `noService` */
export async function administer<Result>(
  options: AdminOptions,
  work: (administration: Administration) => Promise<Result>,
): Promise<Result> {
  const dataDir = resolve(options.data ?? serviceDataDirectory(process.env, homedir()));
  const store = await open(dataDir, options.database);
  try {
    const operator = new Operator({ store, clock: systemClock }, `operator:${userInfo().username}`);
    return await work({ store, tables: tablesOf(store), operator, dataDir, nowMs: systemClock.now() });
  } finally {
    await store.close();
  }
}

function tablesOf(store: Store) {
  return {
    users: usersIn(store),
    tokens: tokensIn(store),
    billingGroups: billingGroupsIn(store),
    audit: auditIn(store),
  };
}

async function open(dataDir: string, databaseUrl: string | undefined): Promise<Store> {
  if (databaseUrl === undefined) await demandService(dataDir);
  try {
    return await openStore({ dataDir, databaseUrl });
  } catch (error) {
    const why = databaseFailure(error) === 'unreachable' ? 'cannot be reached' : 'cannot be opened';
    throw new CliError('noService', `the database ${why}: ${reasonOf(error)}`, { cause: error });
  }
}

/** A mistyped directory must not become a new service. */
async function demandService(dataDir: string): Promise<void> {
  try {
    await access(sqliteFile(dataDir));
  } catch (error) {
    const remedy =
      'name its directory with --data, or its PostgreSQL database with --database; svcfs serve makes one';
    throw new CliError('noService', `there is no service in ${dataDir}: ${remedy}`, { cause: error });
  }
}

/** Of a failure of the database what the database said. */
function reasonOf(error: unknown): string {
  return messageOf(error instanceof DatabaseError ? error.cause : error);
}
