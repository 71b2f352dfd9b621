// Assigns the numbers of linked devices: the device number, which is part of addresses, and the key index, which the
// phone signs. A device number is used again after its device was removed; a key index never is.
import type { Account } from './model.ts';

/** JIDs have one byte for the device number, and Baileys takes 99 for a device that WhatsApp hosts for a business. */
const MAX_DEVICE_NUMBER = 98;

export interface DeviceNumbers {
  device: number;
  keyIndex: number;
}

/**
 * Returns a new key index, and the lowest device number that neither a companion nor a link in progress has. Undefined
 * when no device number is free.
 */
export function nextDeviceNumbers(account: Account): DeviceNumbers | undefined {
  const { companions, linking } = account;
  for (let device = 1; device <= MAX_DEVICE_NUMBER; device++) {
    if (!companions.has(device) && !linking.has(device)) return { device, keyIndex: ++account.lastKeyIndex };
  }
  return undefined;
}
