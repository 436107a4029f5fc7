import { errorCode } from '../../lib/error-code.ts';

export type Pg = typeof import('pg');

/** The driver of PostgreSQL, an optional package: a service that stays with SQLite does not need it. */
export async function loadPg(load: () => Promise<Pg> = () => import('pg')): Promise<Pg> {
  try {
    return await load();
  } catch (error) {
    if (errorCode(error) !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new Error('PostgreSQL needs the package pg; install it with: npm install pg', { cause: error });
  }
}
