/**
 * Names beginning with `svc.` are facts of the platform, in tables and in extended attributes. A key that itself begins so
 * has its dot written `%2E`. So that this can be undone, a key beginning with `svc%` has its percent sign written `%25`.
 */
export function escapeKey(key: string): string {
  return key.replace(/^svc([.%])/, (_, fourth: string) => (fourth === '.' ? 'svc%2E' : 'svc%25'));
}

export function unescapeKey(escaped: string): string {
  return escaped.replace(/^svc%(2E|25)/, (_, hex: string) => (hex === '2E' ? 'svc.' : 'svc%'));
}
