// Reads the details of a linked device, which the phone of the account has signed.
import { proto } from '../library.ts';

/**
 * Whether the device belongs to an account that WhatsApp hosts for a business. `details` is an encoded
 * ADVDeviceIdentity, whose `deviceType` has the values of ADVEncryptionType. Returns false for bytes that cannot be
 * decoded.
 */
export function isHostedDevice(details: Uint8Array): boolean {
  try {
    return proto.ADVDeviceIdentity.decode(details).deviceType === proto.ADVEncryptionType.HOSTED;
  } catch {
    return false;
  }
}
