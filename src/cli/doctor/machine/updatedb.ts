import { readFile, writeFile } from 'node:fs/promises';
import { type Finding, ok, warning } from '../../finding.ts';
import { asRoot } from '../as-root.ts';
import { findProgram } from './fusermount.ts';

const TYPE = 'fuse.svcfs';
const PRUNED = /^(\s*PRUNEFS\s*=\s*")([^"]*)(")/m;

interface IndexPlaces {
  readonly configuration: string;
  readonly path: string;
}

/** Whether the nightly index of locate(1) leaves mounts alone (updatedb.conf(5)). It would list every folder of the platform. */
export async function checkUpdatedb(
  { configuration, path }: IndexPlaces = {
    configuration: '/etc/updatedb.conf',
    path: process.env['PATH'] ?? '',
  },
): Promise<Finding> {
  const text = await readFile(configuration, 'utf8').catch(() => undefined);
  if (text === undefined && (await findProgram('updatedb', path)) === undefined)
    return ok('updatedb', 'not installed');
  const [, , types = ''] = PRUNED.exec(text ?? '') ?? [];
  if (types.toLowerCase().split(/\s+/).includes(TYPE)) return ok('updatedb', 'leaves mounts alone');
  return warning('updatedb', 'lists every mount each night, which spends the request limit', {
    remedy: PRUNED.test(text ?? '')
      ? asRoot(`sed -i 's/^\\s*PRUNEFS\\s*=\\s*"/&${TYPE} /' ${configuration}`)
      : `echo 'PRUNEFS = "${TYPE}"' | ${asRoot(`tee -a ${configuration}`)}`,
    fix: () => writeFile(configuration, pruning(text ?? '')),
  });
}

function pruning(text: string): string {
  return PRUNED.test(text) ? text.replace(PRUNED, `$1${TYPE} $2$3`) : `${text}PRUNEFS = "${TYPE}"\n`;
}
