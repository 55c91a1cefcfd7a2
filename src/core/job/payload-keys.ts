/** Where large payloads lie in the bucket. One key is only ever written with one text, so a write may be repeated. */

interface Owner {
  readonly tenantId: string;
  readonly jobId: string;
}

/** Longest encoded step id in a key; S3 takes keys of 1,024 bytes. */
const STEP_CHARACTERS = 256;

/** The fingerprint keeps a second payload under the same deterministic job id from overwriting the first. */
export function inputKey(input: Owner & { readonly fingerprint: string }): string {
  return `${folder(input)}/input-${input.fingerprint}.json`;
}

/** Apart from the folders of tenants: a lifecycle rule takes a prefix, and what nobody submits is to go within days. */
export function uploadKey(upload: {
  readonly tenantId: string;
  readonly uploadId: string;
}): string {
  return uploadsOf(upload.tenantId) + upload.uploadId;
}

/** Prefixes of all that is stored of a tenant. */
export function tenantPrefixes(tenantId: string): string[] {
  return [payloadsOf(tenantId), uploadsOf(tenantId)];
}

const uploadsOf = (tenantId: string): string => `uploads/${tenantId}/`;
const payloadsOf = (tenantId: string): string => `tenants/${tenantId}/`;

/** Try and epoch keep two workers that run the same step apart: the journal decides which of the two objects counts. */
export function outcomeKey(
  outcome: Owner & {
    readonly generation: number;
    readonly stepId: string;
    readonly epoch: number;
    readonly try: number;
  },
  sha256: (text: string) => string,
): string {
  const step = encodeStepId(outcome.stepId, sha256);
  return `${folder(outcome)}/g${outcome.generation}/steps/${step}/e${outcome.epoch}-t${outcome.try}.json`;
}

/** The digest keeps a second body under the same id from overwriting the first. */
export function signalKey(
  signal: Owner & { readonly name: string; readonly signalId: string; readonly digest: string },
  sha256: (text: string) => string,
): string {
  const place = sha256(`${signal.name}\n${signal.signalId}`);
  return `${folder(signal)}/signals/${place}-${signal.digest}.json`;
}

export function resultKey(
  result: Owner & { readonly generation: number; readonly epoch: number },
): string {
  return `${folder(result)}/g${result.generation}/result-e${result.epoch}.json`;
}

function folder({ tenantId, jobId }: Owner): string {
  return `${payloadsOf(tenantId)}jobs/${jobId}`;
}

/** Two step ids never share an encoding: `_` begins an escape and is itself escaped, and what is too long ends in its hash. */
function encodeStepId(stepId: string, sha256: (text: string) => string): string {
  const encoded = stepId.replace(
    /[^A-Za-z0-9-]/gu,
    (character) => `_${(character.codePointAt(0) ?? 0).toString(16)}_`,
  );
  if (encoded.length <= STEP_CHARACTERS) return encoded;
  return `${encoded.slice(0, STEP_CHARACTERS - 65)}.${sha256(stepId)}`;
}
