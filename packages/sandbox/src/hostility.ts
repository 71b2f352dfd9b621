// Ways in which the server can lie on purpose, so that tests prove that clients notice. All off unless a test turns one on.

export interface Hostility {
  /** The Noise certificate chain comes from a root that nobody pinned. */
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
