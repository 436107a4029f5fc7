/**
 * Roles that the owner of a bucket lets the service take on, instead of giving it a pair of keys.
 *
 * The service asks under its own credentials, so anyone who knows a role that trusts them could have it used. The
 * external id prevents that: the role's trust policy demands it, and only its owner knows it.
 */
import { AssumeRoleCommand, type AssumeRoleCommandOutput, type STSClient } from '@aws-sdk/client-sts';
import { BucketError } from '../objects/bucket-error.ts';
import { s3Answer, s3Failure } from './s3-failure.ts';

export interface S3Role {
  readonly roleArn: string;
  readonly externalId: string | undefined;
}

export interface SessionKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
  /** A client of the SDK asks for the next ones five minutes before. */
  readonly expiration: Date;
}

const SESSION_NAME = 'svcfs';
/** All that a role allows unless it was given a longer time. */
const SESSION_SECONDS = 3600;

const NOT_LENT =
  "the role is refused: its trust policy must name the service's own account, and the external id that the volume gives";
const NO_CREDENTIALS =
  'the service has no credentials of its own to take on a role with: its operator must give it some, or the volume have a pair of keys';
const BAD_CREDENTIALS =
  "the service's own credentials are not valid where the role is: its operator must change them, or the volume have a pair of keys";
const NO_ROLES =
  'the store answers with no session of that role: it knows no roles, and the volume must have a pair of keys';

/** The errors of STS, and of gateways that serve it, about the credentials of the service itself. */
const OWN_CREDENTIALS = [
  'ExpiredToken',
  'InvalidAccessKeyId',
  'InvalidClientTokenId',
  'SignatureDoesNotMatch',
];

/** Keys for a session under the role, each time anew. Rejects with BucketError `role-refused`, `unreachable` and others. */
export function assumedRole(role: S3Role, sts: STSClient): () => Promise<SessionKeys> {
  const command = {
    RoleArn: role.roleArn,
    RoleSessionName: SESSION_NAME,
    DurationSeconds: SESSION_SECONDS,
    ...(role.externalId === undefined ? {} : { ExternalId: role.externalId }),
  };
  return () =>
    sts.send(new AssumeRoleCommand(command)).then(
      (answer) => sessionOf(role, answer),
      (error) => {
        throw roleFailure(error);
      },
    );
}

/** Some stores (MinIO) answer with what the caller may do, whatever the role: that must be lent to nobody. */
function sessionOf(
  { roleArn }: S3Role,
  { AssumedRoleUser, Credentials }: AssumeRoleCommandOutput,
): SessionKeys {
  const { AccessKeyId, SecretAccessKey, SessionToken, Expiration } = Credentials ?? {};
  if (
    !isSessionOf(roleArn, AssumedRoleUser?.Arn ?? '') ||
    AccessKeyId === undefined ||
    SecretAccessKey === undefined ||
    SessionToken === undefined ||
    Expiration === undefined
  ) {
    throw new BucketError('role-refused', NO_ROLES);
  }
  return {
    accessKeyId: AccessKeyId,
    secretAccessKey: SecretAccessKey,
    sessionToken: SessionToken,
    expiration: Expiration,
  };
}

/** `arn:aws:iam::ACCOUNT:role/PATH/NAME` becomes `arn:aws:sts::ACCOUNT:assumed-role/NAME/SESSION`. */
function isSessionOf(roleArn: string, sessionArn: string): boolean {
  const [account, role = ''] = roleArn.split(':').slice(4);
  const [sessionAccount, session = ''] = sessionArn.split(':').slice(4);
  const name = role.slice(role.lastIndexOf('/'));
  return (
    account === sessionAccount &&
    session.startsWith('assumed-role/') &&
    session.endsWith(`${name}/${SESSION_NAME}`)
  );
}

function roleFailure(error: unknown): unknown {
  const { name, status = 0 } = s3Answer(error);
  const refusal = (message: string): BucketError =>
    new BucketError('role-refused', message, { cause: error });
  if (name === 'CredentialsProviderError') return refusal(NO_CREDENTIALS);
  if (OWN_CREDENTIALS.includes(name)) return refusal(BAD_CREDENTIALS);
  if (status === 429 || name.startsWith('Throttling')) {
    return new BucketError('unreachable', 'the store of the role is asked too often', { cause: error });
  }
  if (status >= 400 && status < 500) return refusal(NOT_LENT);
  return s3Failure(error, 'role-refused');
}
