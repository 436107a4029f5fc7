import type { Api } from '../../api/api.ts';
import type { Node } from '../model/node.ts';

/** The way of the bytes of what is on a volume. Undefined: they cannot be read, or it is on none. */
export function viaOf(node: Node, api: Pick<Api, 'buckets' | 'isKnownToOffer'>): string | undefined {
  if (node.kind !== 'volume-object' && node.kind !== 'volume-directory') return undefined;
  if (api.buckets.has(node.volume.id)) return 'bucket';
  return api.isKnownToOffer('volume_download_info') ? 'link' : undefined;
}
