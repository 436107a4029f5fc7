import { ERROR_CODES, type ErrorCode } from '../../contract/error-codes.ts';

/** A refusal as the API knows it. Everything else that is thrown is a failure of the service: 500, 90009. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: ErrorCode;
  readonly status: number;

  /** @param message For the caller's eyes; the code's own sentence when left out. */
  constructor(code: ErrorCode, message?: string, options?: ErrorOptions & { readonly status?: number }) {
    super(message ?? ERROR_CODES[code].message, options);
    this.code = code;
    this.status = options?.status ?? ERROR_CODES[code].status;
  }
}
