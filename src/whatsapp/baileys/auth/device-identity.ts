// Reads the signed details of a linked device.
import { proto } from '../library.ts';

/**
 * Whether the device belongs to an account that WhatsApp hosts. `details` is an encoded ADVDeviceIdentity. Returns
 * false for bytes that cannot be decoded.
 */
export function isHostedDevice(details: Uint8Array): boolean {
  try {
    return proto.ADVDeviceIdentity.decode(details).deviceType === proto.ADVEncryptionType.HOSTED;
  } catch {
    return false;
  }
}
