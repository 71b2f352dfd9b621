import { proto } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { openStorage } from '../../../src/storage/open.ts';
import { AuthState } from '../../../src/whatsapp/baileys/auth/auth-state.ts';
import { createCaches } from '../../../src/whatsapp/baileys/caches.ts';
import { socketOptions } from '../../../src/whatsapp/baileys/options.ts';
import { type PlatformEndpoint, trustOf } from '../../../src/whatsapp/baileys/platform-endpoint.ts';
import { GroupCache } from '../../../src/whatsapp/group/cache.ts';
import { HistoryNotices } from '../../../src/whatsapp/inbound/history-notices.ts';
import { InboundBuffer } from '../../../src/whatsapp/inbound/inbound-buffer.ts';
import { FakeKeys, settings, silent } from '../fakes.ts';

const endpoint: PlatformEndpoint = { network: 'sandbox', url: 'ws://127.0.0.1:1' };
const { INITIAL_BOOTSTRAP, PUSH_NAME, RECENT, FULL } = proto.HistorySync.HistorySyncType;

async function options(syncFullHistory: boolean) {
  const auth = await AuthState.open({ keys: new FakeKeys(), instanceId: 'one', onFailure: () => undefined });
  const storage = await openStorage({ dataDir: ':memory:', network: 'sandbox' });
  const config = socketOptions({
    endpoint,
    trust: trustOf(endpoint),
    tuning: {
      keepsMessages: true,
      queryTimeout: 1,
      browser: ['a', 'b', 'c'],
      version: () => undefined,
      logBaileys: 'silent',
    },
    settings: { ...settings, syncFullHistory },
    auth,
    messages: storage.messages,
    instanceId: 'one',
    caches: createCaches()('one'),
    groups: new GroupCache({ fetch: () => Promise.reject(new Error('not asked')), isMe: () => false, log: silent }),
    inbound: await InboundBuffer.open(auth, new HistoryNotices(() => true)),
    log: silent,
  });
  await storage.close();
  return config;
}

describe('how much of the past a phone is asked for', () => {
  it.each([
    [false, [INITIAL_BOOTSTRAP, PUSH_NAME, RECENT]],
    [true, [INITIAL_BOOTSTRAP, PUSH_NAME, RECENT, FULL]],
  ])('is what syncFullHistory says: %s', async (syncFullHistory, wanted) => {
    const { shouldSyncHistoryMessage, syncFullHistory: asked } = await options(syncFullHistory);
    const taken = [INITIAL_BOOTSTRAP, PUSH_NAME, RECENT, FULL].filter((syncType) =>
      // The two enums have the same numbers.
      shouldSyncHistoryMessage?.({ syncType: syncType as number }),
    );
    expect([asked, taken]).toEqual([syncFullHistory, wanted]);
  });
});
