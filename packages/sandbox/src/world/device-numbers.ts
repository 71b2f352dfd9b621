// Assigns the numbers of linked devices (companions): the device number, which is part of addresses, and the key index,
// which the phone signs. A device number is used again after its device was removed. A key index is used only once.
import type { Account } from './model.ts';

/** The device number 99 is not assigned: Baileys treats it as a device that WhatsApp hosts for a business. */
const MAX_DEVICE_NUMBER = 98;

export interface DeviceNumbers {
  device: number;
  keyIndex: number;
}

/**
 * Returns a new key index, and the lowest device number that neither a companion nor a link in progress uses. Returns
 * undefined when no device number is free.
 */
export function nextDeviceNumbers(account: Account): DeviceNumbers | undefined {
  const { companions, linking } = account;
  for (let device = 1; device <= MAX_DEVICE_NUMBER; device++) {
    if (!companions.has(device) && !linking.has(device)) return { device, keyIndex: ++account.lastKeyIndex };
  }
  return undefined;
}
