// Usernames: searches by username, and the stanzas that contain usernames.
import { type BinaryNode, getBinaryNodeChild } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { element, SERVER } from '../src/lib/binary-node.ts';
import { lidJid } from '../src/world/world.ts';
import { client, ownNumber, peer, sandbox, setUpClient } from './client-setup.ts';

setUpClient();

/** Searches the account with a username. Resolves with the `<user>` of the answer. */
async function search(attrs: Record<string, string | undefined>): Promise<BinaryNode | undefined> {
  const query = element('query', {}, [element('contact', { addressing_mode: 'lid' }), element('username')]);
  const list = element('list', {}, [element('user', {}, [element('contact', attrs)])]);
  const usync = element('usync', { sid: '1', mode: 'query', last: 'true', index: '0', context: 'interactive' }, [
    query,
    list,
  ]);
  const answer = await client.sock.query(element('iq', { to: SERVER, type: 'get', xmlns: 'usync' }, [usync]));
  return getBinaryNodeChild(getBinaryNodeChild(getBinaryNodeChild(answer, 'usync'), 'list'), 'user');
}

describe('searches by username', () => {
  it('a search by username finds the LID of the account, and no number', async () => {
    Object.assign(peer.account, { username: 'ada.b', hidesNumber: true });
    const user = await search({ username: 'ada.b' });
    expect(user?.attrs).toEqual({ jid: lidJid(peer.account) });
    expect(getBinaryNodeChild(user, 'contact')?.attrs).toEqual({ type: 'in', username: 'ada.b' });
    expect(String(getBinaryNodeChild(user, 'username')?.content)).toBe('ada.b');
  });

  it('a search by username finds no account without the key that the account requires', async () => {
    Object.assign(peer.account, { username: 'ada.key', usernameKey: '1234' });
    for (const attrs of [
      { username: 'ada.key' },
      { username: 'ada.key', pin: '4321' },
      { username: 'bo', pin: '1234' },
    ]) {
      const user = await search(attrs);
      expect(user?.attrs).toEqual({});
      expect(getBinaryNodeChild(user, 'contact')?.attrs.type).toBe('out');
    }
    expect((await search({ username: 'ada.key', pin: '1234' }))?.attrs).toEqual({ jid: lidJid(peer.account) });
  });
});

describe('usernames in stanzas', () => {
  it('the messages of an account and the metadata of its groups contain its username', async () => {
    Object.assign(peer.account, { username: 'ada.groups', hidesNumber: true });
    const nodes: BinaryNode[] = [];
    client.sock.ws.on('CB:message', (node: BinaryNode) => nodes.push(node));
    await client.message(await peer.send(ownNumber, { text: 'hi' }));
    const group = sandbox.phones.phone(ownNumber).createGroup('Ours', [peer.account.number]);
    await client.message(await peer.send(group.id, { text: 'hello all' }));
    expect(nodes.map(({ attrs }) => attrs.username ?? attrs.participant_username)).toEqual([
      'ada.groups',
      'ada.groups',
    ]);
    const { participants } = await client.sock.groupMetadata(group.id);
    expect(participants.find(({ id }) => id === lidJid(peer.account))).toMatchObject({ username: 'ada.groups' });
    const query = element('iq', { to: group.id, type: 'get', xmlns: 'w:g2' }, [
      element('query', { request: 'interactive' }),
    ]);
    const metadata = await client.sock.query(query);
    expect(JSON.stringify(metadata)).not.toContain(peer.account.number);
  });
});
