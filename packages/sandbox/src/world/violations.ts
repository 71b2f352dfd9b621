// Protocol violations that the server commits on purpose, for tests that clients detect them.

export interface ProtocolViolations {
  /** The Noise certificate chain has a root that clients do not trust. */
  certificate: boolean;
  /** The chain is valid, but certifies another key than that of the server. */
  certifiedKey: boolean;
  /** `<pair-success>`, the end of linking, contains a wrong account signature. */
  accountSignature: boolean;
  /** `<pair-success>` contains a wrong HMAC. */
  hmac: boolean;
  /** Served key bundles contain a signed pre-key with a wrong signature. */
  preKeySignature: boolean;
}

/** All violations off. */
export const noViolations = (): ProtocolViolations => ({
  certificate: false,
  certifiedKey: false,
  accountSignature: false,
  hmac: false,
  preKeySignature: false,
});
