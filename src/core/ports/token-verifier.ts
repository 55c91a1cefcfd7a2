/** What a token says of its bearer, or why it says nothing: words for the log, not for the caller. */
export type TokenVerdict =
  | {
      readonly valid: true;
      readonly tenantId: string;
      readonly scopes: readonly string[];
      /** Epoch milliseconds from which on the token is void, tolerance included. */
      readonly expiresAt: number;
    }
  | { readonly valid: false; readonly because: string };

/** Checks the tokens of an issuer that the deployment trusts. */
export interface TokenVerifier {
  /** Rejects when the keys of the issuer cannot be had: then nobody knows whether the token is good. */
  readonly verify: (token: string) => Promise<TokenVerdict>;
}
