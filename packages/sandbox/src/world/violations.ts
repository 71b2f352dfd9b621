// Protocol violations that the server commits on purpose, to test that clients detect them.

export interface ProtocolViolations {
  /** The Noise certificate chain has a root that clients do not trust. */
  certificate: boolean;
  /** The certificate chain is valid, but certifies a key that is not the server's key. */
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
