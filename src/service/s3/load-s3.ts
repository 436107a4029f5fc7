import { errorCode } from '../../lib/error-code.ts';

type S3 = typeof import('./s3.ts');

/** The SDK's packages are optional: who keeps everything in directories need not have them. */
export async function loadS3(load: () => Promise<S3> = () => import('./s3.ts')): Promise<S3> {
  try {
    return await load();
  } catch (error) {
    if (errorCode(error) !== 'ERR_MODULE_NOT_FOUND') throw error;
    const packages = '@aws-sdk/client-s3 @aws-sdk/lib-storage @aws-sdk/s3-request-presigner';
    throw new Error(`S3 needs packages of the AWS SDK; install them with: npm install ${packages}`, {
      cause: error,
    });
  }
}
