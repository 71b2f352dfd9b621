// Queries of clients that are not based on Baileys, and the parts of the answers that only these clients read.
import {
  type BinaryNode,
  getBinaryNodeChild,
  getBinaryNodeChildBuffer,
  getBinaryNodeChildren,
  initAuthCreds,
  proto,
} from '@whiskeysockets/baileys';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createSandbox, type Sandbox } from '../src/sandbox.ts';
import type { Account } from '../src/world/model.ts';
import { RawClient } from './raw-client.ts';

let sandbox: Sandbox;
let number = 15_550_033_000;
let client: RawClient;

beforeAll(async () => {
  sandbox = await createSandbox({ tlsPort: false });
});
afterAll(async () => {
  expect(sandbox.unanswered.filter(({ stanza }) => !stanza.includes('nonsense'))).toEqual([]);
  await sandbox.close();
});
beforeEach(async () => {
  client = await RawClient.connect(sandbox.platformUrl, sandbox.provision(String(++number)));
});

const node = (tag: string, attrs: BinaryNode['attrs'] = {}, content?: BinaryNode['content']) => ({
  tag,
  attrs,
  content,
});

describe('keep-alive queries without <ping/>', () => {
  it('the server answers a keep-alive query without <ping/> before and after linking', async () => {
    const keepAlive = { xmlns: 'w:p', type: 'get' };
    expect(await client.ask(keepAlive)).toMatchObject({ attrs: { type: 'result' } });
    const unlinked = await RawClient.connect(sandbox.platformUrl, initAuthCreds());
    expect(await unlinked.ask(keepAlive)).toMatchObject({ attrs: { type: 'result' } });
    expect(await unlinked.ask(keepAlive, [node('ping')])).toMatchObject({ attrs: { type: 'result' } });
  });
});

it('the server answers a query for experiments by name, as Baileys 6 sends it', async () => {
  const answer = await client.ask({ xmlns: 'w', type: 'get' }, [node('props', { protocol: '2', hash: '' })]);
  expect(getBinaryNodeChild(answer, 'props')?.attrs).toMatchObject({ protocol: '2', hash: 'sandbox' });
});

describe('usync queries', () => {
  async function query(protocols: string[], users: BinaryNode[]): Promise<BinaryNode | undefined> {
    const content = [
      node(
        'query',
        {},
        protocols.map((tag) => node(tag)),
      ),
      node('list', {}, users),
    ];
    const attrs = { sid: 's', mode: 'query', last: 'true', index: '0', context: 'interactive' };
    const answer = await client.ask({ xmlns: 'usync', type: 'get' }, [node('usync', attrs, content)]);
    expect(answer.attrs.type).toBe('result');
    return getBinaryNodeChild(answer, 'usync');
  }
  const usersOf = (usync: BinaryNode | undefined) => getBinaryNodeChildren(getBinaryNodeChild(usync, 'list'), 'user');

  it('a usync query with an unknown protocol is answered in part and recorded', async () => {
    const { number: other, statusText } = sandbox.world.account('15550033900');
    const jid = `${other}@s.whatsapp.net`;
    const usync = await query(['lid', 'text_status', 'bot', 'nonsense'], [node('user', { jid })]);
    const [user] = usersOf(usync);
    expect(getBinaryNodeChild(user, 'lid')).toBeDefined();
    expect(getBinaryNodeChild(user, 'text_status')?.attrs.text).toBe(statusText);
    expect(getBinaryNodeChild(user, 'nonsense')).toBeUndefined();
    const result = getBinaryNodeChild(usync, 'result');
    const errorOf = (tag: string) => getBinaryNodeChild(getBinaryNodeChild(result, tag), 'error')?.attrs.code;
    expect(['lid', 'text_status', 'bot', 'nonsense'].map(errorOf)).toEqual([undefined, undefined, undefined, '501']);
    expect(sandbox.unanswered.at(-1)).toMatchObject({ what: 'iq get usync' });
  });

  it('a usync query that names a user twice has one answer for the user', async () => {
    const jid = '15550033901@s.whatsapp.net';
    const usync = await query(['devices', 'lid'], [node('user', { jid }), node('user', { jid })]);
    expect(usersOf(usync).map(({ attrs }) => attrs.jid)).toEqual([jid]);
  });
});

describe('w:mex queries', () => {
  async function query(id: string, variables: object): Promise<unknown> {
    const body = Buffer.from(JSON.stringify({ variables }));
    const answer = await client.ask({ xmlns: 'w:mex', type: 'get' }, [node('query', { query_id: id }, body)]);
    expect(answer.attrs.type).toBe('result');
    return JSON.parse(String(getBinaryNodeChild(answer, 'result')?.content));
  }

  it('an unknown w:mex query gets an error of its own and is recorded', async () => {
    expect(await query('nonsense', {})).toMatchObject({
      data: null,
      errors: [{ extensions: { error_code: 404, is_retryable: false } }],
    });
    expect(sandbox.unanswered.at(-1)).toMatchObject({ what: 'iq get w:mex' });
  });

  it('a w:mex query can mute a channel for its follower', async () => {
    const owner = sandbox.world.account('15550033902');
    const channel = sandbox.channels.create(owner, 'News', '');
    const account = sandbox.world.account(String(number));
    sandbox.channels.follow(channel, account);
    const change = (type: string, value: string) =>
      query('31938993655691868', { input: { newsletter_id: channel.id, type, value } });
    const changed = { data: { xwa2_newsletter_update_user_setting: { id: channel.id } } };
    expect(await change('MUTE_FOLLOWER_ACTIVITY', 'ON')).toMatchObject(changed);
    expect(channel.followers.get(account)?.muted).toBe(true);
    expect(await change('MUTE_FOLLOWER_ACTIVITY', 'OFF')).toMatchObject(changed);
    expect(channel.followers.get(account)?.muted).toBe(false);
    expect(await change('COLOR', 'ON')).toMatchObject({ errors: [{ extensions: { error_code: 400 } }] });
  });
});

describe('creation of a group', () => {
  const requestGroup = (content: BinaryNode[], subject = 'Friends') =>
    client.ask({ to: '@g.us', xmlns: 'w:g2', type: 'set' }, [node('create', { subject }, content)]);
  const approval = (state: string) => node('membership_approval_mode', {}, [node('group_join', { state })]);
  const createGroup = async (content: BinaryNode[]) => {
    const group = getBinaryNodeChild(await requestGroup(content), 'group');
    return sandbox.groups.get(group?.attrs.id ?? '');
  };

  it('the creation of a group applies the settings in the request', async () => {
    const settings = [
      node('locked'),
      node('announcement'),
      node('ephemeral', { expiration: '86400' }),
      approval('on'),
      node('member_add_mode', {}, Buffer.from('all_member_add')),
    ];
    expect(await createGroup(settings)).toMatchObject({
      locked: true,
      announcement: true,
      messageLifetime: 86_400,
      approval: true,
      memberAddMode: 'all_member_add',
    });
  });

  it('the creation of a group accepts settings that have no effect, as WhatsApp Web sends them', async () => {
    const settings = [
      node('member_link_mode', {}, Buffer.from('admin_link')),
      approval('off'),
      node('ephemeral', { expiration: '0' }),
    ];
    const plain = { locked: false, announcement: false, messageLifetime: 0, approval: false };
    expect(await createGroup(settings)).toMatchObject(plain);
  });

  it.each([
    ['community', node('parent')],
    ['group of a community', node('linked_parent', { jid: '120363000000000009@g.us' })],
    ['group with an unknown setting', node('nonsense')],
    ['group whose members can read the invite code', node('member_link_mode', {}, Buffer.from('all_member_link'))],
  ])('the server refuses and records the creation of a %s', async (_, content) => {
    const before = sandbox.unanswered.length;
    const error = getBinaryNodeChild(await requestGroup([content], 'nonsense'), 'error');
    expect(error?.attrs.code).toBe('501');
    expect(sandbox.unanswered.slice(before)).toMatchObject([{ what: 'iq set w:g2' }]);
    expect(sandbox.groups.listFor(sandbox.world.account(String(number)))).toEqual([]);
  });

  it.each([
    node('ephemeral', { expiration: 'soon' }),
    node('ephemeral', { expiration: '-1' }),
    approval('maybe'),
    node('member_add_mode', {}, Buffer.from('no_add')),
  ])('the server refuses the creation of a group with 400 for an invalid setting: $tag', async (setting) => {
    expect(getBinaryNodeChild(await requestGroup([setting]), 'error')?.attrs.code).toBe('400');
    expect(sandbox.groups.listFor(sandbox.world.account(String(number)))).toEqual([]);
  });
});

describe('linking', () => {
  /** Scans the QR code of a new client and resolves with the `<pair-success>` that the client gets. */
  async function link(account: Account): Promise<BinaryNode | undefined> {
    const creds = initAuthCreds();
    const newClient = await RawClient.connect(sandbox.platformUrl, creds);
    const offer = await newClient.received('iq', { type: 'set' });
    const [ref] = getBinaryNodeChildren(getBinaryNodeChild(offer, 'pair-device'), 'ref');
    const keys = [creds.noiseKey.public, creds.signedIdentityKey.public].map((key) =>
      Buffer.from(key).toString('base64'),
    );
    const linking = sandbox.pairing.scanQr(account.number, [String(ref?.content), ...keys, creds.advSecretKey].join());
    const success = await newClient.until(() =>
      newClient.nodes.map((stanza) => getBinaryNodeChild(stanza, 'pair-success')).find((found) => found !== undefined),
    );
    newClient.hangUp();
    await linking.catch(() => undefined);
    return success;
  }

  it('a linked client learns that the chats of its account use LIDs', async () => {
    const account = sandbox.world.account(String(++number));
    expect(getBinaryNodeChild(await link(account), 'client-props')).toBeUndefined();
    account.migrated = true;
    const props = getBinaryNodeChildBuffer(await link(account), 'client-props');
    expect(proto.ClientPairingProps.decode(props ?? new Uint8Array())).toMatchObject({ isChatDbLidMigrated: true });
  });
});
