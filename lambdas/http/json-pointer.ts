/** A caller chooses the names in a pointer, and an answer must stay far below the 6 MB that Lambda takes. */
const MAX_CHARACTERS = 1_024;

/** JSON Pointer (RFC 6901) of a path; what is beyond 1,024 characters is cut off. */
export function jsonPointer(path: readonly PropertyKey[]): string {
  const pointer = path
    .map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
  return pointer.length <= MAX_CHARACTERS ? pointer : `${pointer.slice(0, MAX_CHARACTERS)}…`;
}
