// Protocol violations that the server commits on purpose, for tests that clients detect them. All are off by default.

export interface Hostility {
  /** The Noise certificate chain comes from a root that no client pinned. */
  certificate: boolean;
  /** pair-success carries an account signature that is not the phone's. */
  accountSignature: boolean;
  /** pair-success carries a wrong HMAC. */
  hmac: boolean;
  /** Served key bundles carry a signed pre-key that the identity did not sign. */
  preKeySignature: boolean;
}

export const honest = (): Hostility => ({
  certificate: false,
  accountSignature: false,
  hmac: false,
  preKeySignature: false,
});
