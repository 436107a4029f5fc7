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

/** The server, or this client, refuses every version of TLS that the other one offers. */
const OTHER_VERSIONS = new Set([
  'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
  'ERR_SSL_UNSUPPORTED_PROTOCOL',
  'ERR_SSL_WRONG_SSL_VERSION',
]);

const UNPROVEN = new Set([NOT_TLS, ...OTHER_VERSIONS, ...UNKNOWN_AUTHORITY, ...OTHER_CERTIFICATES]);

/** Whether there is a server that did not prove to be the one asked for: nothing was sent to it. */
export function isUnproven(code: string | undefined): boolean {
  return code !== undefined && UNPROVEN.has(code);
}

/** The same error, which knows the host that was asked for; few errors of TLS name it. */
export function withHost(error: Error, host: string): Error {
  return Object.assign(error, { [ASKED_FOR]: host });
}

const ASKED_FOR = Symbol('the host that was asked for');

/** Why a server could not be talked to, and what helps where that is known. `host`: whom it was about, unless the error knows it. */
export function connectionFailureText(error: unknown, host = hostOf(error)): string {
  const code = codeOf(error);
  const whose = host === undefined ? 'its certificate' : `the certificate of ${host}`;
  if (code !== undefined && UNKNOWN_AUTHORITY.has(code)) {
    return (
      `${whose} comes from no authority that is trusted here (${messageOf(error)}): ` +
      'if it is the right one, name the certificate of its authority with --ca-file'
    );
  }
  if (code !== undefined && OTHER_VERSIONS.has(code)) {
    return (
      `${host ?? 'it'} speaks no TLS 1.2 or 1.3, and older versions protect nothing: ` +
      'its operator has to allow a newer one'
    );
  }
  switch (code) {
    case NOT_TLS:
      return 'it does not speak TLS; is its address one of http://?';
    case 'CERT_HAS_EXPIRED':
      return (
        `${whose} has expired: its operator has to renew it, unless the clock of this machine is wrong; ` +
        '--ca-file helps only with a new one'
      );
    case 'CERT_NOT_YET_VALID':
      return `${whose} is not valid yet: is the clock of this machine right?`;
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return (
        `${whose} is one of another host (${holdersOf(error)}): use the name that it is for; ` +
        'a proxy that reads along needs --ca-file, and a certificate for this host'
      );
    default:
      return reasonOf(error);
  }
}

/** OpenSSL writes more before and after its reason than a person can use. */
function reasonOf(error: unknown): string {
  const reason = tlsReasonOf(error);
  return reason === undefined ? messageOf(error) : `TLS failed: ${reason}`;
}

/** As Node.js writes codes for the reasons of OpenSSL; a failed write holds the reason in its message alone. */
function codeOf(error: unknown): string | undefined {
  const reason = tlsReasonOf(error);
  return reason === undefined ? errorCode(error) : `ERR_SSL_${reason.toUpperCase().replaceAll(' ', '_')}`;
}

function tlsReasonOf(error: unknown): string | undefined {
  return /:error:[0-9A-F]+:SSL routines:[^:]*:([^:]+):/.exec(messageOf(error))?.[1];
}

/** The host that was asked for, where an error knows it. */
export function hostOf(error: unknown): string | undefined {
  return error instanceof Error && ASKED_FOR in error ? String(error[ASKED_FOR]) : undefined;
}

/** For whom a certificate is that is for another host than that asked for. */
function holdersOf(error: unknown): string {
  const { cert } = error as {
    readonly cert?: { readonly subjectaltname?: string; readonly subject?: { readonly CN?: string } };
  };
  return cert?.subjectaltname ?? cert?.subject?.CN ?? 'which it does not name';
}
