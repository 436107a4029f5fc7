import type { Dialect } from '../../src/contract/dialect.ts';

/** In which words this project of tests asks the service (vitest.config.ts); mounts take it from the same variable. */
export const DIALECT: Dialect = process.env['SVCFS_DIALECT'] === 'sbg' ? 'sbg' : 'svc';
