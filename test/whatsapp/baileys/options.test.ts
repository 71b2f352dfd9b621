import { proto } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { AuthState } from '../../../src/whatsapp/baileys/auth/auth-state.ts';
import { createCaches } from '../../../src/whatsapp/baileys/caches.ts';
import { socketOptions } from '../../../src/whatsapp/baileys/options.ts';
import { createTrust, type PlatformEndpoint } from '../../../src/whatsapp/baileys/platform-endpoint.ts';
import { FakeKeys, settings, silent } from '../../support/session-fakes.ts';

const endpoint: PlatformEndpoint = { network: 'sandbox', url: 'ws://127.0.0.1:1' };
const { INITIAL_BOOTSTRAP, PUSH_NAME, RECENT, FULL } = proto.HistorySync.HistorySyncType;

async function createConfig(syncFullHistory: boolean) {
  const auth = await AuthState.open({ keys: new FakeKeys(), instanceId: 'one', onFailure: () => undefined });
  const config = socketOptions({
    endpoint,
    trust: createTrust(endpoint),
    tuning: {
      storesMessages: true,
      browser: ['a', 'b', 'c'],
      version: () => undefined,
      logBaileys: 'silent',
    },
    settings: { ...settings, syncFullHistory },
    creds: auth.creds,
    keys: auth.state.keys,
    caches: createCaches()('one'),
    cachedGroupMetadata: () => Promise.reject(new Error('not asked')),
    getMessage: async () => undefined,
    log: silent,
  });
  return config;
}

describe('socketOptions', () => {
  it.each([
    [false, [INITIAL_BOOTSTRAP, PUSH_NAME, RECENT]],
    [true, [INITIAL_BOOTSTRAP, PUSH_NAME, RECENT, FULL]],
  ])('socketOptions() accepts the types of history that syncFullHistory selects: %s', async (syncFullHistory, expectedTypes) => {
    const { shouldSyncHistoryMessage, syncFullHistory: configuredValue } = await createConfig(syncFullHistory);
    const acceptedTypes = [INITIAL_BOOTSTRAP, PUSH_NAME, RECENT, FULL].filter((syncType) =>
      // The two enums have the same numbers.
      shouldSyncHistoryMessage?.({ syncType: syncType as number }),
    );
    expect([configuredValue, acceptedTypes]).toEqual([syncFullHistory, expectedTypes]);
  });

  it('socketOptions() sets the dispatcher that limits downloads also without a certificate authority', async () => {
    const { options: fetchOptions, agent, fetchAgent } = await createConfig(false);
    expect(fetchOptions?.dispatcher).toBeDefined();
    expect([agent, fetchAgent]).toEqual([undefined, undefined]);
  });
});
