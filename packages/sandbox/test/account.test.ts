import { getBinaryNodeChild, getBinaryNodeChildren, proto, S_WHATSAPP_NET } from '@whiskeysockets/baileys';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Client, connect, createAuth, pair } from '../../../test/support/client.ts';
import { createLightSandbox } from '../../../test/support/light-sandbox.ts';
import type { Sandbox } from '../src/sandbox.ts';

let sandbox: Sandbox;
let number = 491_700_600_000;

beforeAll(async () => {
  sandbox = await createLightSandbox();
});
afterAll(() => sandbox.close());
beforeEach(() => {
  number += 10;
});

async function open(phoneNumber = String(number)): Promise<Client> {
  const client = connect(sandbox, createAuth(sandbox.provision(phoneNumber)));
  await client.open();
  return client;
}

const jidOf = (phoneNumber: number) => `${phoneNumber}@s.whatsapp.net`;
const lidOf = (phoneNumber: number) => `${sandbox.world.account(String(phoneNumber)).lid}@lid`;

describe('usync queries', () => {
  it('onWhatsApp() finds a phone of the sandbox, but no number that ends in 0000', async () => {
    const client = await open();
    // Baileys omits numbers that are not on WhatsApp.
    const found = await client.socket.onWhatsApp(`+${number}`, '491700000000');
    expect(found).toEqual([{ jid: jidOf(number), exists: true }]);
  });

  it('a phone number has the same LID in every run of the sandbox', async () => {
    const client = await open();
    const lid = await client.socket.signalRepository.lidMapping.getLIDForPN('491700000001@s.whatsapp.net');
    expect(lid).toBe(lidOf(491700000001));
    const other = await createLightSandbox();
    expect(other.world.account('491700000001').lid).toBe(lid?.split('@')[0]);
    await other.close();
  });

  it('fetchStatus() returns the status text of an account unless the account hides it', async () => {
    const [owner, reader] = [await open(), await open(String(number + 1))];
    await owner.socket.updateProfileStatus('on holiday');
    expect(await reader.socket.fetchStatus(jidOf(number))).toMatchObject([{ status: { status: 'on holiday' } }]);
    await owner.socket.updateStatusPrivacy('none');
    expect(await reader.socket.fetchStatus(jidOf(number))).toMatchObject([{ status: { status: '' } }]);
  });

  it('fetchDisappearingDuration() returns the default disappearing timer of an account', async () => {
    const client = await open();
    await client.socket.updateDefaultDisappearingMode(86_400);
    const shown = await client.socket.fetchDisappearingDuration(jidOf(number));
    expect(shown).toMatchObject([{ disappearing_mode: { duration: 86_400 } }]);
  });
});

describe('privacy settings', () => {
  it('the sandbox stores a privacy setting that the client changes', async () => {
    const client = await open();
    await client.socket.updateLastSeenPrivacy('contacts');
    expect(await client.socket.fetchPrivacySettings(true)).toMatchObject({ last: 'contacts', online: 'all' });
  });

  it.each([
    ['last', 'friends'],
    ['last', 'match_last_seen'],
    ['online', 'contacts'],
    ['readreceipts', 'contacts'],
    ['calladd', 'none'],
    ['messages', 'known'],
    ['nonsense', 'all'],
  ])('the sandbox rejects the unsupported privacy setting %s=%s with 400', async (name, value) => {
    const client = await open();
    const set = client.socket.query({
      tag: 'iq',
      attrs: { to: S_WHATSAPP_NET, type: 'set', xmlns: 'privacy' },
      content: [{ tag: 'privacy', attrs: {}, content: [{ tag: 'category', attrs: { name, value } }] }],
    });
    await expect(set).rejects.toMatchObject({ data: 400 });
  });

  it('the sandbox accepts and returns the privacy settings that clients change', async () => {
    const { socket } = await open();
    await socket.updateOnlinePrivacy('match_last_seen');
    await socket.updateReadReceiptsPrivacy('none');
    await socket.updateGroupsAddPrivacy('contact_blacklist');
    await socket.updateCallPrivacy('known');
    await socket.updateMessagesPrivacy('contacts');
    expect(await socket.fetchPrivacySettings(true)).toMatchObject({
      online: 'match_last_seen',
      readreceipts: 'none',
      groupadd: 'contact_blacklist',
      calladd: 'known',
      messages: 'contacts',
    });
  });
});

describe('the blocklist', () => {
  it('the blocklist lists blocked accounts by LID, and the other devices of the account are notified of changes', async () => {
    const [client, other] = [await open(), await open()];
    const received = other.event('blocklist.update');
    await client.socket.updateBlockStatus(jidOf(number + 1), 'block');
    expect(await client.socket.fetchBlocklist()).toEqual([lidOf(number + 1)]);
    expect(await received).toEqual({ blocklist: [lidOf(number + 1)], type: 'add' });
    await client.socket.updateBlockStatus(jidOf(number + 1), 'unblock');
    expect(await client.socket.fetchBlocklist()).toEqual([]);
  });
});

describe('profile pictures', () => {
  const picture = Buffer.from('pretend JPEG');
  const set = (client: Client, content: Buffer | undefined) =>
    client.socket.query({
      tag: 'iq',
      attrs: { to: S_WHATSAPP_NET, type: 'set', xmlns: 'w:profile:picture' },
      content: content && [{ tag: 'picture', attrs: { type: 'image' }, content }],
    });

  it('a profile picture can be downloaded from its URL until it is removed', async () => {
    const [owner, reader] = [await open(), await open(String(number + 1))];
    await expect(reader.socket.profilePictureUrl(jidOf(number))).rejects.toMatchObject({ data: 404 });
    await set(owner, picture);
    const url = await reader.socket.profilePictureUrl(jidOf(number), 'image');
    const fetched = await fetch(url ?? '');
    expect(Buffer.from(await fetched.arrayBuffer())).toEqual(picture);
    await owner.socket.removeProfilePicture(jidOf(number));
    await expect(reader.socket.profilePictureUrl(jidOf(number))).rejects.toMatchObject({ data: 404 });
    expect((await fetch(url ?? '')).status).toBe(404);
  });

  it('a profile picture is hidden from accounts that the privacy setting excludes', async () => {
    const [owner, reader] = [await open(), await open(String(number + 1))];
    await set(owner, picture);
    await owner.socket.updateProfilePicturePrivacy('none');
    await expect(reader.socket.profilePictureUrl(jidOf(number))).rejects.toMatchObject({ data: 401 });
    expect(await owner.socket.profilePictureUrl(jidOf(number))).toContain('http://127.0.0.1:');
  });
});

describe('app state', () => {
  it('an app state change by one device reaches the other device of the account', async () => {
    const [one, two] = [await pair(sandbox, String(number)), await pair(sandbox, String(number))];
    const synced = ({ accountSyncCounter }: { accountSyncCounter?: number }) => accountSyncCounter === 1;
    await Promise.all(
      [one, two].map((client) =>
        synced(client.auth.creds) ? undefined : client.event('creds.update', (creds) => synced(creds)),
      ),
    );
    const muted = two.event('chats.update', ([chat]) => chat?.id === jidOf(number + 1));
    await one.socket.chatModify({ mute: 8_000 }, jidOf(number + 1));
    expect(await muted).toMatchObject([{ muteEndTime: 8_000 }]);
  });

  it('the sandbox rejects an app state patch for an old version with 409 and sends the missing patches', async () => {
    const client = await open();
    const bytes = Buffer.alloc(32, 1);
    const record = { index: { blob: bytes }, value: { blob: bytes }, keyId: { id: bytes } };
    const fields = { keyId: { id: bytes }, snapshotMac: bytes, patchMac: bytes, mutations: [{ operation: 0, record }] };
    const content = proto.SyncdPatch.encode(fields).finish();
    const patch = (version: string) =>
      client.socket.query({
        tag: 'iq',
        attrs: { to: S_WHATSAPP_NET, type: 'set', xmlns: 'w:sync:app:state' },
        content: [
          {
            tag: 'sync',
            attrs: {},
            content: [
              {
                tag: 'collection',
                attrs: { name: 'regular', version, return_snapshot: 'false' },
                content: [{ tag: 'patch', attrs: {}, content }],
              },
            ],
          },
        ],
      });
    await patch('0');
    const answer = getBinaryNodeChild(getBinaryNodeChild(await patch('0'), 'sync'), 'collection');
    expect(answer?.attrs).toEqual({ name: 'regular', version: '1', type: 'error', has_more_patches: 'false' });
    expect(getBinaryNodeChild(answer, 'error')?.attrs).toMatchObject({ code: '409' });
    expect(getBinaryNodeChildren(getBinaryNodeChild(answer, 'patches'), 'patch')).toHaveLength(1);
  });
});

describe('restrictions of new chats', () => {
  it('a new account has no restrictions on new chats', async () => {
    const client = await open();
    expect(await client.socket.fetchAccountReachoutTimelock()).toMatchObject({ isActive: false });
    expect(await client.socket.fetchNewChatMessageCap()).toEqual({ capping_status: 'NONE' });
  });

  it('a client receives the restrictions of its account as notifications and in answers', async () => {
    const client = await open();
    const { restrictions, world } = sandbox;
    const end = world.now() + 3_600;
    const locked = { isActive: true, enforcementType: 'BIZ_QUALITY', timeEnforcementEnds: new Date(end * 1000) };
    const update = client.event('connection.update', ({ reachoutTimeLock }) => reachoutTimeLock !== undefined);
    restrictions.setLock(String(number), { reason: 'BIZ_QUALITY', until: end });
    expect(await update).toEqual({ reachoutTimeLock: locked });
    expect(await client.socket.fetchAccountReachoutTimelock()).toEqual(locked);
    const capped = client.event('message-capping.update', () => true);
    restrictions.setQuota(String(number), { total: 10, used: 10, end });
    const quota = { capping_status: 'CAPPED', total_quota: 10, used_quota: 10, cycle_end_timestamp: String(end) };
    expect(await capped).toEqual(quota);
    expect(await client.socket.fetchNewChatMessageCap()).toEqual(quota);
    restrictions.setLock(String(number), undefined);
    restrictions.setQuota(String(number), undefined);
    expect(await client.socket.fetchAccountReachoutTimelock()).toMatchObject({ isActive: false });
  });
});

describe('stanzas without a handler', () => {
  it('the sandbox answers a stanza without a handler with 501 and records it', async () => {
    const client = await open();
    const unknownQuery = client.socket.query({ tag: 'iq', attrs: { to: S_WHATSAPP_NET, type: 'get', xmlns: 'w:odd' } });
    await expect(unknownQuery).rejects.toMatchObject({ message: 'feature-not-implemented', data: 501 });
    const call = await client.socket.query({ tag: 'call', attrs: { to: '@call', id: 'c1' } });
    expect(call).toMatchObject({ tag: 'ack', attrs: { class: 'call', error: '501' } });
    expect(sandbox.unanswered.map(({ from }) => from)).toEqual(Array(2).fill(`${number}:1@s.whatsapp.net`));
    expect(sandbox.unanswered[0]?.stanza).toContain("xmlns='w:odd'");
  });
});
