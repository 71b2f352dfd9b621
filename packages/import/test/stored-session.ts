// Sessions with real keys in folders of Baileys.
import { Curve, useMultiFileAuthState as useFiles7 } from '@whiskeysockets/baileys';
import { useMultiFileAuthState as useFiles6 } from 'baileys-6';
import { vi } from 'vitest';
import { createConversations, otherKeys } from '../../../test/support/signal-conversations.ts';
import type { Party } from '../../../test/support/signal-party.ts';
import type { FoundSession, Source } from '../src/session/source.ts';

/**
 * Writes a session with conversations in progress to a folder, with the library Baileys. Resolves with the device,
 * which has the same keys as the folder.
 */
export async function writeSession(folder: string, version: 6 | 7 = 7): Promise<Party> {
  // libsignal prints closed sessions with their keys.
  const spies = (['info', 'warn', 'error'] as const).map((name) => vi.spyOn(console, name).mockReturnValue(undefined));
  const { device } = await createConversations(version);
  for (const spy of spies) spy.mockRestore();
  if (version === 7) for (const { type, id, value } of otherKeys()) device.set(type, id, value);
  for (let count = 0; count < 3; count += 1) {
    device.set('pre-key', String(device.creds.nextPreKeyId++), Curve.generateKeyPair());
  }
  const { state, saveCreds } = await (version === 7 ? useFiles7(folder) : useFiles6(folder));
  Object.assign(state.creds, device.creds);
  const data: Record<string, Record<string, unknown>> = {};
  for (const { type, id, value } of device.keys()) data[type] = { ...data[type], [id]: value };
  await state.keys.set(data);
  await saveCreds();
  return device;
}

/** Lists all sessions of the source. */
export async function listSessions(source: Source): Promise<FoundSession[]> {
  const sessions: FoundSession[] = [];
  for await (const session of source.find()) sessions.push(session);
  return sessions;
}
