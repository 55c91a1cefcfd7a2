import type { Agent } from '../../agent/index.ts';
import { uploadKey } from '../job/payload-keys.ts';
import { findInexactInteger, inexactMessage } from '../../agent/exact-integer.ts';
import { jsonFault } from '../job/json-fault.ts';
import { findUnstorable } from '../job/storable-json.ts';
import type { PayloadRef } from '../job/stored-value.ts';
import { parseUploadId, type UploadFacts } from '../job/upload.ts';
import { LIMITS } from '../policy/limits.ts';
import type { PayloadStore } from '../ports/payload-store.ts';
import { type InputFault, inputFaults } from './input-faults.ts';

/** Why an upload is no input. */
export type UploadFault =
  | {
      readonly valid: false;
      readonly code: 'upload_missing';
      /** Undefined when the id is not one that was given out. */
      readonly upload: PayloadRef | undefined;
    }
  | {
      readonly valid: false;
      readonly code: 'upload_mismatch';
      readonly announced: UploadFacts;
      readonly actual: Partial<UploadFacts> & { readonly sizeBytes: number };
    }
  | {
      readonly valid: false;
      readonly code: 'invalid_input';
      readonly faults: readonly InputFault[];
    };

export type UploadedInput =
  { readonly valid: true; readonly upload: PayloadRef; readonly inputJson: string } | UploadFault;

/**
 * Reads and checks what a tenant has uploaded. The id is looked up below the tenant alone, so that of another tenant names
 * nothing. The parsed value is given up when it is checked: the job keeps the bytes.
 */
export async function readUploadedInput(
  deps: { readonly payloads: Pick<PayloadStore, 'readUpload'> },
  of: { readonly tenantId: string; readonly uploadId: string; readonly agent: Agent },
): Promise<UploadedInput> {
  const announced = parseUploadId(of.uploadId);
  if (announced === undefined || announced.sizeBytes > LIMITS.payloadBytes) return missing();
  const upload = { key: uploadKey(of), ...announced };
  const reading = await deps.payloads.readUpload(upload);
  switch (reading.outcome) {
    case 'absent':
      return missing(upload);
    case 'differs': {
      const { outcome: _, ...actual } = reading;
      return { valid: false, code: 'upload_mismatch', announced, actual };
    }
    case 'not_utf8':
      return invalid([{ path: [], message: 'the upload is not JSON: it is not UTF-8' }]);
    case 'read': {
      const faults = await faultsOf(of.agent, reading.text);
      return faults.length > 0 ? invalid(faults) : { valid: true, upload, inputJson: reading.text };
    }
  }
}

async function faultsOf(agent: Agent, text: string): Promise<readonly InputFault[]> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return [{ path: [], message: `the upload is not JSON: ${jsonFault(error)}` }];
  }
  const unstorable = findUnstorable(value, LIMITS.inputNesting);
  if (unstorable !== undefined) return [unstorable];
  const inexact = findInexactInteger(text);
  if (inexact !== undefined) return [{ path: [], message: inexactMessage(inexact) }];
  return inputFaults(agent, value);
}

function missing(upload?: PayloadRef): UploadFault {
  return { valid: false, code: 'upload_missing', upload };
}

function invalid(faults: readonly InputFault[]): UploadFault {
  return { valid: false, code: 'invalid_input', faults };
}
