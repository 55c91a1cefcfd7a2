/** Short of the authorizer's own 5 s, so that its answer tells what failed. */
export const FETCH_TIMEOUT_MS = 2_000;
