import type { VolumeEdit, VolumeServiceEdit } from '../../api/api.ts';
import { readSecret } from './read-secret.ts';

/** The options that say what a volume is like, and where its objects are. */
export interface VolumeFields {
  readonly description?: string | undefined;
  readonly accessMode?: 'RW' | 'RO' | undefined;
  readonly bucket?: string | undefined;
  readonly prefix?: string | undefined;
  readonly storeEndpoint?: string | undefined;
  readonly accessKeyId?: string | undefined;
  readonly secretFile?: string | undefined;
  readonly role?: string | undefined;
  readonly externalIdFile?: string | undefined;
  readonly encryption?: string | undefined;
  readonly kmsKey?: string | undefined;
  readonly cannedAcl?: string | undefined;
  readonly storageClass?: string | undefined;
}

/** What of a volume is given. Its secret comes from a file, or a person at the terminal types it. */
export async function editOf(fields: VolumeFields): Promise<VolumeEdit> {
  const { description, accessMode } = fields;
  const service = await serviceOf(fields);
  return {
    ...(description !== undefined && { description }),
    ...(accessMode !== undefined && { access_mode: accessMode }),
    ...(Object.keys(service).length > 0 && { service }),
  };
}

async function serviceOf(fields: VolumeFields): Promise<VolumeServiceEdit> {
  const { bucket, prefix, storeEndpoint: endpoint } = fields;
  const credentials = given(await credentialsOf(fields));
  const properties = given({
    sse_algorithm: fields.encryption,
    sse_cloud_kms_key_id: fields.kmsKey,
    cloud_canned_acl: fields.cannedAcl,
    cloud_storage_class: fields.storageClass,
  });
  return {
    ...given({ bucket, prefix, endpoint }),
    ...(Object.keys(credentials).length > 0 && { credentials }),
    ...(Object.keys(properties).length > 0 && {
      // No encryption by the store is a word of its own.
      properties: { ...properties, ...(fields.encryption === 'none' && { sse_algorithm: null }) },
    }),
  };
}

/** Keys come in pairs: a new id wants its secret. */
async function credentialsOf({
  accessKeyId,
  secretFile,
  role,
  externalIdFile,
}: VolumeFields): Promise<Readonly<Record<string, string | undefined>>> {
  if (role !== undefined) {
    const external_id =
      externalIdFile === undefined
        ? undefined
        : await readSecret(externalIdFile, 'External id of the role: ');
    return { role_arn: role, external_id };
  }
  const hasKey = accessKeyId !== undefined || secretFile !== undefined;
  if (!hasKey) return {};
  return {
    access_key_id: accessKeyId,
    secret_access_key: await readSecret(secretFile, `Secret of the access key ${accessKeyId ?? ''}: `),
  };
}

function given(values: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
