import { errorCode } from './error-code.ts';
import { messageOf } from './message-of.ts';

/** Codes of OpenSSL for a certificate that leads to no authority this process knows (X509_STORE_CTX_get_error(3)). */
const UNKNOWN_AUTHORITY = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

const NOT_TLS = 'ERR_SSL_WRONG_VERSION_NUMBER';

/** Of other certificates that prove nothing: past their time, or of another server. */
const OTHER_CERTIFICATES = new Set([
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);

/** Whether there is a server that did not prove to be the one asked for: nothing was sent to it. */
export function isUnproven(code: string | undefined): boolean {
  return code === NOT_TLS || UNKNOWN_AUTHORITY.has(code ?? '') || OTHER_CERTIFICATES.has(code ?? '');
}

/** Why a server could not be talked to, and what helps where that is known. */
export function connectionFailureText(error: unknown): string {
  const code = errorCode(error);
  if (code !== undefined && UNKNOWN_AUTHORITY.has(code)) {
    return `${messageOf(error)}; the environment variable NODE_EXTRA_CA_CERTS names a file with the certificates of your own authorities`;
  }
  if (code === NOT_TLS) return 'it does not speak TLS; is its address one of http://?';
  return messageOf(error);
}
