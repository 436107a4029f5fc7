import type { Command } from 'commander';
import {
  MANIFEST_CREATE_OPTIONS,
  MANIFEST_VERIFY_OPTIONS,
  type ManifestCreateOptions,
  type ManifestVerifyOptions,
} from '../../config/manifest-options.ts';
import { printable } from '../../lib/printable.ts';
import { NEVER_ABORTED } from '../../lib/shared-signals.ts';
import { addOptions } from '../add-options.ts';
import { credentialsOf } from '../credentials-of.ts';
import { wrapped } from '../describe/help-format.ts';
import { CliError } from '../exit-codes.ts';
import { createManifest } from '../manifest/create-manifest.ts';
import { manifestText } from '../manifest/manifest-text.ts';
import { readManifest, warningOfEndpoint } from '../manifest/read-manifest.ts';
import { refuseShownPassword } from '../refuse-shown-password.ts';

const DETAILS = `
A manifest pins files: the inputs of a paper, say. svcfs mount --manifest FILE shows exactly these, at the paths that the manifest
gives them, and refuses every change. A file that was replaced, deleted or changed since fails with ESTALE when it is opened,
and svcfs why tells what changed.

It is JSON, with one object for each file, and may be edited:

  {
    "svcfs_manifest": 1,
    "endpoint": "https://api.example.org/v2",
    "files": [
      {"path":"reads/a.bam","id":"568cf5dce4b0307bc0462060","size":1024},
      {"path":"b.fa","volume":"lab/data","location":"ref.fa","etag":"9a","size":7}
    ]
  }

  path          where the file is shown, below the mount point
  id            of a file in a project; its bytes never change
  volume, location, etag
                of an object on a volume, or of the one behind an alias, which has an id too
  size          bytes
  checksums     md5 or sha256 of the bytes, in hexadecimal; for verify
  project, name, modified_on
                for people; modified_on is the time that is shown

Examples:
  svcfs manifest create --checksum ~/svc/projects/lab/rna/reads > m.json
  svcfs mount --manifest m.json ~/inputs
  svcfs manifest verify m.json`;

const CREATE_DETAILS = `
Writes the manifest of files, and of all files below folders, to standard output. Each path begins with the name of what was named, as
cp -r would make it. Ids, sizes and ETags are pinned, and the MD5 that a file's metadata states as md5_sum. Symbolic links,
pipes and sockets are left out, and told. When anything cannot be pinned, no manifest is written.`;

const VERIFY_DETAILS = `
Prints a line for each file: ok, changed, missing, or failed when that could not be found out. Asks the platform itself, and
needs no mount. Files with a checksum are read whole, unless --facts-only is given. Exit code 1: not all are ok.`;

export function addManifestCommand(program: Command): void {
  const manifest = program
    .command('manifest')
    .summary('pin files, for mounts of exactly these')
    .description('Pin files by id, size and checksum, and compare them later.')
    .addHelpText('after', wrapped(DETAILS));
  addOptions(
    manifest
      .command('create')
      .description('Write a manifest of files and folders of a mount to standard output.')
      .argument('<path...>', 'files and folders in one mount'),
    MANIFEST_CREATE_OPTIONS,
  )
    .addHelpText('after', wrapped(CREATE_DETAILS))
    .action(create);
  addOptions(
    manifest
      .command('verify')
      .description('Compare the files of a manifest with what the platform has now.')
      .argument('<file>', 'a manifest'),
    MANIFEST_VERIFY_OPTIONS,
  )
    .addHelpText('after', wrapped(VERIFY_DETAILS))
    .action(verify);
}

async function create(paths: readonly string[], options: ManifestCreateOptions): Promise<void> {
  process.stdout.write(manifestText(await createManifest(paths, options)));
}

async function verify(path: string, options: ManifestVerifyOptions, command: Command): Promise<void> {
  refuseShownPassword(command);
  const manifest = await readManifest(path);
  const credentials = await credentialsOf(options, command);
  for (const warning of warningOfEndpoint(manifest, credentials.endpoint)) console.error(`svcfs: ${warning}`);
  // Other commands need not load the HTTP library.
  const { withPlatform } = await import('../manifest/with-platform.ts');
  const { verifyManifest } = await import('../manifest/verify-manifest.ts');
  const { factsOnly } = options;
  let different = 0;
  await withPlatform(credentials, options, async (platform) => {
    const verdicts = verifyManifest(manifest.files, { ...platform, factsOnly, signal: NEVER_ABORTED });
    for await (const { path: file, state, note } of verdicts) {
      if (state !== 'ok') different += 1;
      console.log(printable(note === undefined ? `${state} ${file}` : `${state} ${file}: ${note}`));
    }
  });
  if (different > 0)
    throw new CliError(
      'failure',
      `${different} of ${manifest.files.length} files are not as they were pinned`,
    );
}
