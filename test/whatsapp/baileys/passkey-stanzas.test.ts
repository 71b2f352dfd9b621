import { DEFAULT_CONNECTION_CONFIG, generateRegistrationNode, initAuthCreds, proto } from '@whiskeysockets/baileys';
import { expect, it } from 'vitest';
import { platformTypeOf } from '../../../src/whatsapp/baileys/passkey-stanzas.ts';

it.each([
  'Chrome',
  'Firefox',
  'Safari',
  'Edge',
  'Desktop',
  'Android',
  'Gateway',
  'constructor',
  '',
])('platformTypeOf() returns the platform type that Baileys registers for the browser %j', (browser) => {
  const config = { ...DEFAULT_CONNECTION_CONFIG, browser: ['System', browser, '1'] as [string, string, string] };
  const { devicePairingData } = generateRegistrationNode(initAuthCreds(), config);
  const { platformType } = proto.DeviceProps.decode(devicePairingData?.deviceProps ?? new Uint8Array());
  expect(platformTypeOf(browser)).toBe(platformType);
});
