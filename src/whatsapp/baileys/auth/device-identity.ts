// Reads the signed details of a linked device.
import { proto } from '../library.ts';

/** Whether the device belongs to an account that WhatsApp hosts. False for bytes that cannot be read. */
export function isHostedDevice(details: Uint8Array): boolean {
  try {
    return proto.ADVDeviceIdentity.decode(details).deviceType === proto.ADVEncryptionType.HOSTED;
  } catch {
    return false;
  }
}
