// The errors of reading, checking and creating session bundles. A bundle is a linked session in portable JSON.

/**
 * A bundle cannot be read, or a session cannot become a bundle. The message is one sentence for the operator. It
 * contains no value of the bundle.
 */
export class BundleError extends Error {
  override readonly name = 'BundleError';
  /** Path of the field, such as "keys.preKeys.17.private"; '' for the whole bundle. */
  readonly field: string;

  constructor(field: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.field = field;
  }
}

/**
 * The passphrase is wrong, too short or too long. Recognize it by its class, not by `field`: a bundle with an unknown
 * member "passphrase" causes a BundleError with the same field.
 */
export class PassphraseError extends BundleError {
  constructor(message: string) {
    super('passphrase', message);
  }
}
