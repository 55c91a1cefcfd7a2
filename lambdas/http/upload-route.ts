import { uploadKey } from '../../src/core/job/payload-keys.ts';
import { newUploadId } from '../../src/core/job/upload.ts';
import type { Clock } from '../../src/core/ports/clock.ts';
import type { IdSource } from '../../src/core/ports/id-source.ts';
import type { PayloadStore } from '../../src/core/ports/payload-store.ts';
import { LIMITS, UPLOAD_URL_SECONDS } from '../../src/protocol/limits.ts';
import { type UploadRepresentation, uploadRequestSchema } from '../../src/protocol/upload.ts';
import { callerOf, requireScope } from './caller.ts';
import { checkedBody } from './checked-body.ts';
import { instant } from './error-representation.ts';
import type { Serve } from './http-handler.ts';
import { jsonBodyOf } from './json-body.ts';
import { RequestRefused } from './request-refused.ts';
import { routeOf } from './route-of.ts';

export interface UploadDeps {
  readonly payloads: Pick<PayloadStore, 'presignPut'>;
  readonly ids: Pick<IdSource, 'newId'>;
  readonly clock: Pick<Clock, 'now'>;
}

const BODY = {
  limitBytes: LIMITS.commandBytes,
  advice: 'send the size and hash of the input here, and the input to the address in the answer',
};

/** `POST /uploads` */
export function uploadRoute({ payloads, ids, clock }: UploadDeps): Serve {
  return async ({ event, note }) => {
    const caller = callerOf(event);
    const { tenantId } = caller;
    note({ tenantId });
    requireScope(caller, routeOf('createUpload'));
    const announced = checkedBody(uploadRequestSchema, jsonBodyOf(event, BODY));
    checkSize(announced.sizeBytes);
    const uploadId = newUploadId(ids, announced);
    note({ uploadId });
    const expiresAt = clock.now() + UPLOAD_URL_SECONDS * 1000;
    const ref = { key: uploadKey({ tenantId, uploadId }), ...announced };
    const body: UploadRepresentation = {
      uploadId,
      method: 'PUT',
      ...(await payloads.presignPut(ref, UPLOAD_URL_SECONDS)),
      expiresAt: instant(expiresAt),
      inputRef: { uploadId },
    };
    return { status: 201, body };
  };
}

function checkSize(actual: number): void {
  const maximum = LIMITS.uploadBytes;
  if (actual <= maximum) return;
  throw new RequestRefused(
    'payload_too_large',
    `the upload would have ${actual} bytes, the limit is ${maximum}: keep the input in a store of your own, and submit where the agent can fetch it`,
    { limit: { maximum, actual, unit: 'bytes' } },
  );
}
