import { type Command, Option } from 'commander';
import type { PlatformOptions } from '../../config/platform-options.ts';
import { wrapped } from '../describe/help-format.ts';
import { withMembers } from '../members/members-command.ts';
import { contextOf, withPlatform } from '../platform/command-options.ts';
import type { CreateVolumeOptions } from '../volumes/create-volume.ts';
import type { EditVolumeOptions, EndVolumeOptions } from '../volumes/edit-volume.ts';

const DETAILS = `
A VOLUME is owner/name, volume:owner/name, or its directory in a mount. A volume connects a bucket of an S3 store: the platform
tries the bucket, the key and the right to list and to write before it makes one, and the command says which of them fails.

A secret comes from a file that --secret-file names, from the standard input (-), or is typed at a prompt that does not show it.
Without an endpoint the bucket is one of Amazon, or of the service itself. delete forgets a volume that was deactivated: its
objects stay in the store.

Examples:
  svcfs volume create archive --bucket lab-archive --access-key-id AKIAEXAMPLE
  svcfs volume members ada/archive --set grace=read,copy
  svcfs volume edit ada/archive --access-key-id AKIAOTHER --secret-file key
  svcfs volume deactivate ada/archive && svcfs volume delete ada/archive`;

const WHICH = 'owner/name, or its directory in a mount';

export function addVolumeCommand(program: Command): void {
  const volume = program
    .command('volume')
    .summary('connect buckets, and list, edit and delete volumes')
    .description('Connect buckets as volumes; list, edit and delete volumes, and say who their members are.')
    .addHelpText('after', wrapped(DETAILS));
  const create = withFields(
    volume
      .command('create')
      .description(
        'Connect a bucket, once bucket, key and rights were tried, and print the path of the volume.',
      )
      .argument('<name>', 'at most 32 letters, digits and _'),
  ).option('--json', 'print JSON', false);
  withPlatform(create).action(async (name: string, options: CreateVolumeOptions & PlatformOptions) =>
    (await import('../volumes/create-volume.ts')).createVolume(name, options, contextOf(options, create)),
  );
  addShowing(volume);
  const edit = withFields(
    volume
      .command('edit')
      .description('Change the description, the access mode, the keys or the bucket of a volume.')
      .argument('<volume>', WHICH),
  ).option('--json', 'print the volume as JSON', false);
  withPlatform(edit).action(async (given: string, options: EditVolumeOptions & PlatformOptions) =>
    (await import('../volumes/edit-volume.ts')).editVolume(given, options, contextOf(options, edit)),
  );
  withMembers(volume, 'volumes');
  addEnds(volume);
}

function addShowing(volume: Command): void {
  const list = volume
    .command('list')
    .description('List the volumes that you are a member of.')
    .option('--json', 'print JSON', false);
  withPlatform(list).action(async (options: { readonly json: boolean } & PlatformOptions) =>
    (await import('../volumes/show-volumes.ts')).listVolumes(options, contextOf(options, list)),
  );
  const show = volume
    .command('show')
    .description('Show a volume and where its objects are. A secret is never shown.')
    .argument('<volume>', WHICH)
    .option('--json', 'print JSON', false);
  withPlatform(show).action(async (given: string, options: { readonly json: boolean } & PlatformOptions) =>
    (await import('../volumes/show-volumes.ts')).showVolume(given, options, contextOf(options, show)),
  );
}

function addEnds(volume: Command): void {
  for (const active of [false, true]) {
    const command = volume
      .command(active ? 'activate' : 'deactivate')
      .description(active ? 'Let a volume be used again.' : 'Let nobody use a volume, until it is activated.')
      .argument('<volume>', WHICH)
      .option('--json', 'print the volume as JSON', false);
    if (!active) command.option('-f, --force', 'end imports and exports that are not over', false);
    withPlatform(command).action(async (given: string, options: EndVolumeOptions & PlatformOptions) =>
      (await import('../volumes/edit-volume.ts')).activateVolume(
        given,
        active,
        options,
        contextOf(options, command),
      ),
    );
  }
  const remove = volume
    .command('delete')
    .description('Forget a volume that was deactivated. Its objects stay in the store.')
    .argument('<volume>', WHICH)
    .option('-f, --force', 'ask nothing', false)
    .option('--json', 'print JSON', false);
  withPlatform(remove).action(async (given: string, options: EndVolumeOptions & PlatformOptions) =>
    (await import('../volumes/edit-volume.ts')).deleteVolume(given, options, contextOf(options, remove)),
  );
}

function withFields(command: Command): Command {
  return command
    .option('--bucket <name>', 'the bucket')
    .option('--prefix <prefix>', 'only what is below this in the bucket')
    .option('--store-endpoint <url>', 'the address of the store, such as https://s3.example.org')
    .option('--access-key-id <id>', 'the key, whose secret is asked for')
    .option('--secret-file <file>', 'the file that has its secret; - is the standard input')
    .option('--role <arn>', 'a role that the service takes on, in place of a key')
    .option('--external-id-file <file>', 'the file that has the external id of the role')
    .addOption(
      new Option('--access-mode <mode>', 'RW to read and write (default of a new one), RO to read').choices([
        'RW',
        'RO',
      ]),
    )
    .option('--description <text>', 'the description')
    .option('--encryption <algorithm>', 'of exported objects: AES256, cloud:kms or none')
    .option('--kms-key <id>', 'the key of cloud:kms')
    .option('--canned-acl <acl>', 'the ACL of exported objects')
    .option('--storage-class <class>', 'the storage class of exported objects');
}
