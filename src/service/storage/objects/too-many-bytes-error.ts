/** More bytes came than may be kept; the message is for the one who sends them. */
export class TooManyBytesError extends Error {
  override readonly name = 'TooManyBytesError';

  constructor(maxBytes: number) {
    super(`More than ${maxBytes} bytes.`);
  }
}
