import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mustRun } from './run.ts';

export interface Certificate {
  readonly key: Buffer;
  readonly cert: Buffer;
  /** Of the certificate, in PEM. */
  readonly path: string;
}

/** A certificate for 127.0.0.1 that no authority vouches for, but the one who names it as such. */
export async function makeCertificate(directory: string): Promise<Certificate> {
  const [key, cert] = [join(directory, 'key.pem'), join(directory, 'cert.pem')];
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  await mustRun('openssl', ['req', ...kind, ...subject, '-keyout', key, '-out', cert]);
  return { key: await readFile(key), cert: await readFile(cert), path: cert };
}
