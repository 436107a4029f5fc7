/**
 * Takes secrets out of a line of the log, wherever they stand in it: fields by their names at any depth, also in JSON
 * that is text inside JSON; signatures and queries of URLs; users and passwords of database URLs; headers written out.
 *
 * It is the last of several nets: code that logs should hold no secret to begin with. This one is for errors of
 * libraries.
 */
export function redacted(line: string): string {
  return REPLACEMENTS.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), line);
}

const HIDDEN = '[redacted]';

const SECRET_FIELDS = [
  'token',
  'auth_token',
  'x-svc-auth-token',
  'x-sbg-auth-token',
  'authorization',
  'proxy-authorization',
  'secret',
  'secret_access_key',
  'secretAccessKey',
  'sessionToken',
  'x-amz-security-token',
  'password',
  'signature',
].join('|');

const QUERY_FIELDS = ['signature', 'sig', 'X-Amz-Signature', 'X-Amz-Credential', 'X-Amz-Security-Token'].join(
  '|',
);

const REPLACEMENTS: readonly (readonly [RegExp, string])[] = [
  [new RegExp(`("(?:${SECRET_FIELDS})":)"(?:[^"\\\\]|\\\\.)*"`, 'gi'), `$1"${HIDDEN}"`],
  // The same in text that is JSON itself: its quotes are escaped.
  [
    new RegExp(`(\\\\+"(?:${SECRET_FIELDS})\\\\+":\\s*\\\\+")(?:[^"\\\\]|\\\\+[^"\\\\])*`, 'gi'),
    `$1${HIDDEN}`,
  ],
  [/(https?:\/\/[^\s"'?\\]+)\?[^\s"'\\]*/g, `$1?${HIDDEN}`],
  [new RegExp(`\\b(${QUERY_FIELDS})=[^\\s"'&\\\\]*`, 'gi'), `$1=${HIDDEN}`],
  [/\b([a-z][a-z0-9+.-]*:\/\/)[^\s/@"'\\]+@/gi, `$1${HIDDEN}@`],
  [/\b(X-SVC-Auth-Token|X-SBG-Auth-Token|Authorization): *[^\s"'\\]+( [^\s"'\\]+)?/gi, `$1: ${HIDDEN}`],
];
