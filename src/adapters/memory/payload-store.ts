import { createHash } from 'node:crypto';
import type { PayloadRef } from '../../core/job/stored-value.ts';
import type { PayloadStore, UploadReading } from '../../core/ports/payload-store.ts';
import { AppError } from '../../errors.ts';
import { answer } from './answer.ts';

export function memoryPayloadStore(): PayloadStore {
  const objects = new Map<string, string>();
  return {
    put: (key, json) =>
      answer(() => {
        objects.set(key, json);
        return { key, sizeBytes: Buffer.byteLength(json), sha256: sha256(json) };
      }),
    get: (ref) => answer(() => verified(ref, objects.get(ref.key))),
    presignGet: (ref, expiresInSeconds) =>
      answer(() => `memory:///${ref.key}?expires=${expiresInSeconds}`),
    presignPut: (ref, expiresInSeconds) =>
      answer(() => ({ url: `memory:///${ref.key}?expires=${expiresInSeconds}`, headers: {} })),
    readUpload: (ref) => answer(() => uploadAt(ref, objects.get(ref.key))),
    copy: (ref, key) =>
      answer(() => {
        objects.set(key, verified(ref, objects.get(ref.key)));
        return { ...ref, key };
      }),
  };
}

function uploadAt(ref: PayloadRef, text: string | undefined): UploadReading {
  if (text === undefined) return { outcome: 'absent' };
  const sizeBytes = Buffer.byteLength(text);
  if (sizeBytes !== ref.sizeBytes) return { outcome: 'differs', sizeBytes };
  if (sha256(text) !== ref.sha256) return { outcome: 'differs', sizeBytes, sha256: sha256(text) };
  return { outcome: 'read', text };
}

function verified(ref: PayloadRef, json: string | undefined): string {
  const isSame =
    json !== undefined && sha256(json) === ref.sha256 && Buffer.byteLength(json) === ref.sizeBytes;
  if (isSame) return json;
  const fault = json === undefined ? 'is missing' : 'differs from what was stored';
  throw new AppError(`payload ${ref.key} ${fault}`, {
    code: 'internal_error',
    details: { ...ref },
  });
}

function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}
