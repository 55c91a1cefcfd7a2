import { AppError } from '../../src/errors.ts';
import { LIMITS } from '../../src/core/policy/limits.ts';
import type { PayloadStore } from '../../src/core/ports/payload-store.ts';

/** For a function without a bucket: what it submits is small enough for the table. */
export const inlinePayloads: Pick<PayloadStore, 'put' | 'copy' | 'readUpload'> = {
  put: none,
  copy: none,
  readUpload: none,
};

function none(): Promise<never> {
  return Promise.reject(
    new AppError(
      `a schedule has an input above ${LIMITS.inlineBytes} bytes, which would need a bucket: submit what refers to it`,
      {
        code: 'internal_error',
      },
    ),
  );
}
