import { errorCode } from '../../../lib/error-code.ts';

/** Else every start on Node.js 20 warns of releases of the SDK to come; which one is used, package-lock.json says. */
const NO_WARNING = 'AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED';

/**
 * A module that needs the SDK, loaded when a store is first spoken to. The SDK's packages are optional: a service that
 * keeps everything in directories needs none of them.
 */
export async function loadS3<Module>(load: () => Promise<Module>): Promise<Module> {
  process.env[NO_WARNING] ??= 'true';
  try {
    return await load();
  } catch (error) {
    if (errorCode(error) !== 'ERR_MODULE_NOT_FOUND') throw error;
    const packages =
      '@aws-sdk/client-s3 @aws-sdk/client-sts @aws-sdk/lib-storage @aws-sdk/s3-request-presigner';
    throw new Error(`S3 needs packages of the AWS SDK; install them with: npm install ${packages}`, {
      cause: error,
    });
  }
}
