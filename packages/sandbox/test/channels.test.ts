// Channels of the sandbox: operations of Baileys that it accepts, and operations and posts that it rejects.
import { generateMessageIDV2, proto } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import type { Channel } from '../src/world/channel.ts';
import { client, ownNumber, peer, sandbox, setUpClient } from './client-setup.ts';

setUpClient();

const account = () => sandbox.world.account(ownNumber);
const createPeerChannel = () => sandbox.channels.create(peer.account, 'Theirs', 'About them');

/** Sends a post and resolves with the attributes of its ack. A rejected post has the attribute `error`. */
async function post(
  channel: Channel,
  content: proto.IMessage,
  type: string,
  { mediatype, ...more }: Record<string, string> = {},
) {
  const plaintext = proto.Message.encode(content).finish();
  const attrs = { to: channel.id, id: generateMessageIDV2(), type, ...more };
  const plaintextAttrs: Record<string, string> = mediatype ? { mediatype } : {};
  const node = { tag: 'plaintext', attrs: plaintextAttrs, content: plaintext };
  const ack: unknown = await client.sock.query({ tag: 'message', attrs, content: [node] });
  return Object(ack).attrs;
}

describe('channels', () => {
  it('a client can create, find, follow, unmute and delete channels, but not delete channels of others', async () => {
    const created = await client.sock.newsletterCreate('Ours', 'About us');
    expect(created).toMatchObject({ name: 'Ours', description: 'About us', subscribers: 0 });
    const channel = sandbox.channels.get(created.id);
    expect(channel.roleOf(account())).toBe('OWNER');
    const peerChannel = createPeerChannel();
    expect(await client.sock.newsletterMetadata('invite', peerChannel.invite)).toMatchObject({
      id: peerChannel.id,
      viewer_metadata: { role: 'GUEST' },
    });
    await client.sock.newsletterFollow(peerChannel.id);
    await client.sock.newsletterUnmute(peerChannel.id);
    expect(peerChannel.followers.get(account())).toEqual({ muted: false });
    await client.sock.newsletterUnfollow(peerChannel.id);
    await expect(client.sock.newsletterMute(peerChannel.id)).rejects.toMatchObject({ output: { statusCode: 403 } });
    await expect(client.sock.newsletterDelete(peerChannel.id)).rejects.toMatchObject({ output: { statusCode: 403 } });
    await client.sock.newsletterDelete(channel.id);
    await expect(client.sock.newsletterMetadata('jid', channel.id)).rejects.toMatchObject({
      output: { statusCode: 404 },
    });
  });

  it('a channel gives no post the number of a deleted post, and rejects reactions to the deleted post', () => {
    const { channelMessages } = sandbox.phones;
    const channel = createPeerChannel();
    const deleted = channelMessages.post(peer.account, channel, { text: 'Old' });
    channelMessages.change(peer.account, channel, deleted.id);
    const { serverId } = channelMessages.post(peer.account, channel, { text: 'New' });
    expect(serverId).toBeGreaterThan(deleted.serverId);
    expect(() => sandbox.channels.react(channel, peer.account, deleted.serverId, '👍')).toThrow('no such post');
  });

  it('a channel delivers posts unchanged to its followers and counts reactions', async () => {
    const peerChannel = createPeerChannel();
    sandbox.channels.follow(peerChannel, account());
    const { id, serverId } = sandbox.phones.channelMessages.post(peer.account, peerChannel, { text: 'Hello' });
    const { message } = await client.until(() => client.upserts.find(({ message: { key } }) => key.id === id));
    expect(message).toMatchObject({ key: { remoteJid: peerChannel.id, fromMe: false, server_id: String(serverId) } });
    expect(message.message?.conversation).toBe('Hello');
    await client.sock.newsletterReactMessage(peerChannel.id, String(serverId), '👍');
    expect([...peerChannel.getPost(serverId).reactions.values()]).toEqual(['👍']);
    await client.sock.newsletterReactMessage(peerChannel.id, String(serverId));
    expect(peerChannel.getPost(serverId).reactions.size).toBe(0);
  });

  it('a channel takes a JPEG as its picture, removes the picture for an empty one, and rejects other bytes', async () => {
    const channel = sandbox.channels.create(account(), 'Ours');
    const setPicture = (bytes: Buffer) =>
      client.sock.newsletterUpdate(channel.id, { picture: bytes.toString('base64') });
    const jpeg = Buffer.from([0xff, 0xd8, 0xff, 0xe0]);
    await setPicture(jpeg);
    expect(channel.picture?.bytes).toEqual(jpeg);
    for (const wrong of [Buffer.from([0xff]), Buffer.from('GIF89a')]) {
      await expect(setPicture(wrong)).rejects.toMatchObject({ output: { statusCode: 400 } });
    }
    expect(channel.picture?.bytes).toEqual(jpeg);
    await client.sock.newsletterRemovePicture(channel.id);
    expect(channel.picture).toBeUndefined();
  });

  it('a channel rejects posts of followers, posts whose attributes do not match the content, and edits of others', async () => {
    const channel = sandbox.channels.create(account(), 'Ours');
    expect(await post(channel, { conversation: 'a' }, 'text')).toMatchObject({ server_id: '100' });
    const peerChannel = createPeerChannel();
    sandbox.channels.follow(peerChannel, account());
    expect(await post(peerChannel, { conversation: 'a' }, 'text')).toMatchObject({ error: '403' });
    const image = {
      imageMessage: { directPath: '/v/somewhere', fileSha256: Buffer.alloc(32), mediaKey: Buffer.alloc(32) },
    };
    const point = { locationMessage: { degreesLatitude: 1, degreesLongitude: 1 } };
    expect(await post(channel, image, 'media', { mediatype: 'image' })).toMatchObject({ error: '479' });
    expect(await post(channel, { conversation: 'a' }, 'media')).toMatchObject({ error: '479' });
    expect(await post(channel, point, 'text')).toMatchObject({ error: '479' });
    const malformed = { tag: 'plaintext', attrs: {}, content: Buffer.from([0x0a, 0xff]) };
    const attrs = { to: channel.id, id: generateMessageIDV2(), type: 'text' };
    const ack: unknown = await client.sock.query({ tag: 'message', attrs, content: [malformed] });
    expect(ack).toMatchObject({ attrs: { error: '479' } });
    expect(channel.posts).toHaveLength(1);
    const { id = '' } = channel.posts[0] ?? {};
    const edit = (text: string, more: Record<string, string>) => post(channel, { conversation: text }, 'text', more);
    expect(await edit('b', { edit: '3', id: 'UNKNOWN' })).toMatchObject({ error: '404' });
    expect(await edit('b', { edit: '8', id })).toMatchObject({ error: '479' });
    expect(await edit('b', { edit: '3', id })).not.toHaveProperty('error');
    expect(proto.Message.decode(channel.getPost(100).plaintext).conversation).toBe('b');
    expect(await post(channel, {}, 'text', { edit: '8', id })).not.toHaveProperty('error');
    expect(channel.posts).toEqual([]);
    sandbox.channels.promote(peerChannel, peer.account, account());
    expect(await post(peerChannel, { conversation: 'a' }, 'text')).toMatchObject({ server_id: '100' });
    const theirPost = sandbox.phones.channelMessages.post(peer.account, peerChannel, { text: 'mine' });
    // The change has the same id, so a later delivery of the post would resolve the query for the change.
    await client.until(() => client.upserts.some(({ message: { key } }) => key.id === theirPost.id));
    const change = { edit: '3', id: theirPost.id };
    expect(await post(peerChannel, { conversation: 'not yours' }, 'text', change)).toMatchObject({ error: '403' });
  });
});
