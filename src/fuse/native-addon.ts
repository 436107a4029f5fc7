import { messageOf } from '../lib/message-of.ts';
import { requireAddon } from '../lib/require-addon.ts';
import { MountError } from './mount-error.ts';

/** The addon of native/, as native/src/transport/transport.cc and native/src/transport/channel.h describe it. */
export interface NativeAddon {
  openChannel(options: ChannelOptions): NativeChannel;
  mountDevice(source: string, mountPoint: string, type: string, flags: number, options: string): number;
  /** Readies a descriptor that another process opened and mounted: close-on-exec and non-blocking. */
  adoptDevice(device: number): void;
  socketPair(): [ours: number, theirs: number];
  receiveDevice(socket: number): number;
  forceUnmount(mountPoint: string): number;
}

export interface ChannelOptions {
  /** Descriptor of a mounted /dev/fuse; the channel closes it. */
  readonly device: number;
  /** Empty: the mount is another process's to take away. */
  readonly mountPoint: string;
  /** The mount belongs to fusermount3, which has to take it away. */
  readonly viaHelper: boolean;
  readonly slots: number;
  readonly slotBytes: number;
  readonly onReadable: () => void;
  readonly onNotified: () => void;
}

export interface NativeChannel {
  readonly memory: ArrayBuffer;
  start(): void;
  /** The length of the request that was read into the slot; 0 where there is none now; a negative errno at the end. */
  next(slot: number): number;
  send(length: number): number;
  sendWith(length: number, chunks: readonly Uint8Array[]): number;
  sendSpliced(length: number, chunks: readonly Uint8Array[], socket: number, spare: Uint8Array): number;
  /** As `next`, once READs that go on where the last request ended are answered from the socket (native/src/transport/channel.h). */
  goOn(slot: number, most: number, socket: number, room: Uint8Array, told: Uint8Array): number;
  notify(messages: readonly Uint8Array[]): void;
  /** An id, or a negative errno. */
  openBacking(fd: number): number;
  closeBacking(id: number): void;
  detach(): number;
  close(): void;
}

let loaded: NativeAddon | undefined;

/** Loads the addon once. A MountError tells how to build it. */
export function loadNativeAddon(): NativeAddon {
  if (loaded !== undefined) return loaded;
  try {
    const { transport } = requireAddon() as { readonly transport: () => NativeAddon };
    loaded = transport();
    return loaded;
  } catch (cause) {
    const reason = messageOf(cause).split('\n')[0];
    throw new MountError(
      'addon-missing',
      `the native transport cannot be loaded (${reason}): run npm run build:native, or use --driver fuse-native`,
      { cause },
    );
  }
}
