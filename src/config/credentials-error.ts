/** No usable credentials. The message is one line that names the file, the profile and what to do. */
export class CredentialsError extends Error {
  override readonly name = 'CredentialsError';
}
