/**
 * Of every connection over TLS: the certificate is verified, and no version that is broken is spoken, whatever the
 * environment of the process says (`NODE_TLS_REJECT_UNAUTHORIZED`, `--tls-min-v1.0`).
 */
export const VERIFIED = { rejectUnauthorized: true, minVersion: 'TLSv1.2' } as const;
