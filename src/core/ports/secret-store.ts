/** Secrets that a deployment makes for itself. */
export interface SecretStore {
  /** The secret of that name; `fresh` is stored and answered when there is none yet. All callers get the same one. */
  obtain(name: string, fresh: string): Promise<string>;
}
