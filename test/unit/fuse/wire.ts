/** Literal bytes of the protocol, little-endian, for tests to spell out what is on the wire. */
export function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value >>> 0);
  return bytes;
}

export function u64(value: number | bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt.asUintN(64, BigInt(value)));
  return bytes;
}

/** A NUL-ended string, or raw bytes with an end. */
export function text(value: string | Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(value as string), Buffer.alloc(1)]);
}

/** Bytes written as hex, with spaces and newlines where they help. */
export function hex(digits: string): Buffer {
  return Buffer.from(digits.replaceAll(/\s/g, ''), 'hex');
}
