import { randomUUID } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mustRun } from './run.ts';

export interface Certificate {
  readonly key: Buffer;
  readonly cert: Buffer;
  /** Of the certificate and of the key, in PEM. */
  readonly path: string;
  readonly keyPath: string;
}

export interface CertificateOptions {
  /** Whom it is for, as openssl writes alternative names. Default `IP:127.0.0.1` */
  readonly names?: string;
  /** When it begins and ends, as openssl takes times. Default: now, for two days. */
  readonly from?: string;
  readonly until?: string;
}

/** A certificate, for 127.0.0.1 unless told, that no authority vouches for, but the one who names it as such. */
export async function makeCertificate(
  directory: string,
  { names = 'IP:127.0.0.1', from, until }: CertificateOptions = {},
): Promise<Certificate> {
  const [key, cert] = ['key', 'cert'].map((name) => join(directory, `${name}-${randomUUID()}.pem`)) as [
    string,
    string,
  ];
  const common = names.split(',', 1)[0]?.replace(/^\w+:/, '');
  const subject = ['-subj', `/CN=${common}`, '-addext', `subjectAltName=${names}`];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', key];
  if (from === undefined || until === undefined) {
    await mustRun('openssl', ['req', '-x509', ...kind, '-days', '2', ...subject, '-out', cert]);
  } else {
    await signedFor([from, until], { directory, request: [...kind, ...subject], cert, key });
  }
  return { key: await readFile(key), cert: await readFile(cert), path: cert, keyPath: key };
}

/** Only `openssl ca` takes a time that is over. */
async function signedFor(
  [from, until]: readonly [string, string],
  {
    directory,
    request,
    cert,
    key,
  }: { directory: string; request: readonly string[]; cert: string; key: string },
): Promise<void> {
  const place = join(directory, `ca-${randomUUID()}`);
  await mkdir(place);
  const files = { csr: join(place, 'csr.pem'), config: join(place, 'ca.cnf'), index: join(place, 'index') };
  const options = [
    '[ca]',
    'default_ca = own',
    '[own]',
    `database = ${files.index}`,
    `new_certs_dir = ${place}`,
    `rand_serial = yes`,
    'default_md = sha256',
    'policy = any',
    'copy_extensions = copy',
    '[any]',
    'commonName = supplied',
  ];
  await writeFile(files.config, `${options.join('\n')}\n`);
  await writeFile(files.index, '');
  await mustRun('openssl', ['req', '-new', ...request, '-out', files.csr]);
  const times = ['-startdate', from, '-enddate', until];
  await mustRun('openssl', [
    'ca',
    '-batch',
    '-notext',
    '-selfsign',
    '-config',
    files.config,
    '-keyfile',
    key,
    '-in',
    files.csr,
    ...times,
    '-out',
    cert,
  ]);
}
