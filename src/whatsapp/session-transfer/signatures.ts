// Verifies the signatures in the credentials of a session bundle with xeddsa.ts, which also verifies the signed keys of
// contacts. WhatsApp unlinks a session with a wrong signature, or contacts do not trust it. Decision D-175.
import type { BundleCredentials } from '../../session-bundle/bundle.ts';
import { BundleError } from '../../session-bundle/bundle-error.ts';
import { isHostedDevice } from '../baileys/auth/device-identity.ts';
import { verify } from '../baileys/patches/xeddsa.ts';

/**
 * The first bytes of each signed message. Hosted accounts (accounts on servers of WhatsApp) have their own prefixes.
 * The message that a device signed may have either of the two device prefixes.
 */
const ACCOUNT_PREFIX = Buffer.from([6, 0]);
const HOSTED_ACCOUNT_PREFIX = Buffer.from([6, 5]);
const DEVICE_PREFIXES = [Buffer.from([6, 1]), Buffer.from([6, 6])];
/** Type byte of a public key. */
const KEY_TYPE = Buffer.from([5]);

const bytesOf = (base64: string): Buffer => Buffer.from(base64, 'base64');

/**
 * Throws BundleError unless the account key of the phone has signed this device, the device has signed the account key
 * in return, and the device has signed its signed pre-key.
 */
export function assertSigned({ account, identityKey, signedPreKey }: BundleCredentials): void {
  const identity = bytesOf(identityKey.public);
  const details = bytesOf(account.details);
  const accountKey = bytesOf(account.accountSignatureKey);
  const assertSignature = (isSigned: boolean, field: string): void => {
    if (!isSigned) throw new BundleError(field, `The signature in ${field} does not match the keys of the session.`);
  };
  const prefix = isHostedDevice(details) ? HOSTED_ACCOUNT_PREFIX : ACCOUNT_PREFIX;
  assertSignature(
    verify(accountKey, Buffer.concat([prefix, details, identity]), bytesOf(account.accountSignature)),
    'credentials.account.accountSignature',
  );
  const deviceSignature = bytesOf(account.deviceSignature);
  assertSignature(
    DEVICE_PREFIXES.some((devicePrefix) =>
      verify(identity, Buffer.concat([devicePrefix, details, identity, accountKey]), deviceSignature),
    ),
    'credentials.account.deviceSignature',
  );
  assertSignature(
    verify(identity, Buffer.concat([KEY_TYPE, bytesOf(signedPreKey.public)]), bytesOf(signedPreKey.signature)),
    'credentials.signedPreKey.signature',
  );
}
