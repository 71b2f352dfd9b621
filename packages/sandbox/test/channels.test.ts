// The channels of the simulated platform as the library's own functions see them, and what it refuses.
import { generateMessageIDV2, proto } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import type { Channel } from '../src/world/channel.ts';
import { client, mine, onStage, peer, sandbox } from './client-stage.ts';

onStage();

const account = () => sandbox.world.account(mine);
const theirs = () => sandbox.channels.create(peer.account, 'Theirs', 'About them');

/** Error of the ack of a post, undefined when it was taken. */
async function post(
  channel: Channel,
  content: proto.IMessage,
  type: string,
  { mediatype, ...more }: Record<string, string> = {},
) {
  const plaintext = proto.Message.encode(content).finish();
  const attrs = { to: channel.id, id: generateMessageIDV2(), type, ...more };
  const said: Record<string, string> = mediatype ? { mediatype } : {};
  const node = { tag: 'plaintext', attrs: said, content: plaintext };
  const ack: unknown = await client.sock.query({ tag: 'message', attrs, content: [node] });
  return Object(ack).attrs;
}

describe('channels', () => {
  it('can be created, found, followed, muted and deleted', async () => {
    const made = await client.sock.newsletterCreate('Ours', 'About us');
    expect(made).toMatchObject({ name: 'Ours', description: 'About us', subscribers: 0 });
    const channel = sandbox.channels.get(made.id);
    expect(channel.roleOf(account())).toBe('OWNER');
    const other = theirs();
    expect(await client.sock.newsletterMetadata('invite', other.invite)).toMatchObject({
      id: other.id,
      viewer_metadata: { role: 'GUEST' },
    });
    await client.sock.newsletterFollow(other.id);
    await client.sock.newsletterUnmute(other.id);
    expect(other.followers.get(account())).toEqual({ muted: false });
    await client.sock.newsletterUnfollow(other.id);
    await expect(client.sock.newsletterMute(other.id)).rejects.toMatchObject({ output: { statusCode: 403 } });
    await expect(client.sock.newsletterDelete(other.id)).rejects.toMatchObject({ output: { statusCode: 403 } });
    await client.sock.newsletterDelete(channel.id);
    await expect(client.sock.newsletterMetadata('jid', channel.id)).rejects.toMatchObject({
      output: { statusCode: 404 },
    });
  });

  it('give no post the number of a deleted one, to which reactions can still refer', () => {
    const { channelMessages } = sandbox.phones;
    const channel = theirs();
    const deleted = channelMessages.post(peer.account, channel, { text: 'Old' });
    channelMessages.change(peer.account, channel, deleted.id);
    const { serverId } = channelMessages.post(peer.account, channel, { text: 'New' });
    expect(serverId).toBeGreaterThan(deleted.serverId);
    expect(() => sandbox.channels.react(channel, peer.account, deleted.serverId, '👍')).toThrow('no such post');
  });

  it('deliver posts unchanged to followers and count reactions', async () => {
    const other = theirs();
    sandbox.channels.follow(other, account());
    const { id, serverId } = sandbox.phones.channelMessages.post(peer.account, other, { text: 'Hello' });
    const { message } = await client.until(() => client.upserts.find(({ message: { key } }) => key.id === id));
    expect(message).toMatchObject({ key: { remoteJid: other.id, fromMe: false, server_id: String(serverId) } });
    expect(message.message?.conversation).toBe('Hello');
    await client.sock.newsletterReactMessage(other.id, String(serverId), '👍');
    expect([...other.getPost(serverId).reactions.values()]).toEqual(['👍']);
    await client.sock.newsletterReactMessage(other.id, String(serverId));
    expect(other.getPost(serverId).reactions.size).toBe(0);
  });

  it('take a JPEG as picture, remove the picture for an empty one, and refuse other bytes', async () => {
    const own = sandbox.channels.create(account(), 'Ours');
    const setPicture = (bytes: Buffer) => client.sock.newsletterUpdate(own.id, { picture: bytes.toString('base64') });
    const jpeg = Buffer.from([0xff, 0xd8, 0xff, 0xe0]);
    await setPicture(jpeg);
    expect(own.picture?.bytes).toEqual(jpeg);
    for (const wrong of [Buffer.from([0xff]), Buffer.from('GIF89a')]) {
      await expect(setPicture(wrong)).rejects.toMatchObject({ output: { statusCode: 400 } });
    }
    expect(own.picture?.bytes).toEqual(jpeg);
    await client.sock.newsletterRemovePicture(own.id);
    expect(own.picture).toBeUndefined();
  });

  it('refuse posts of followers, and posts whose attributes do not match the content', async () => {
    const own = sandbox.channels.create(account(), 'Ours');
    expect(await post(own, { conversation: 'a' }, 'text')).toMatchObject({ server_id: '100' });
    const other = theirs();
    sandbox.channels.follow(other, account());
    expect(await post(other, { conversation: 'a' }, 'text')).toMatchObject({ error: '403' });
    const image = {
      imageMessage: { directPath: '/v/somewhere', fileSha256: Buffer.alloc(32), mediaKey: Buffer.alloc(32) },
    };
    const point = { locationMessage: { degreesLatitude: 1, degreesLongitude: 1 } };
    expect(await post(own, image, 'media', { mediatype: 'image' })).toMatchObject({ error: '479' });
    expect(await post(own, { conversation: 'a' }, 'media')).toMatchObject({ error: '479' });
    expect(await post(own, point, 'text')).toMatchObject({ error: '479' });
    const torn = { tag: 'plaintext', attrs: {}, content: Buffer.from([0x0a, 0xff]) };
    const attrs = { to: own.id, id: generateMessageIDV2(), type: 'text' };
    const ack: unknown = await client.sock.query({ tag: 'message', attrs, content: [torn] });
    expect(ack).toMatchObject({ attrs: { error: '479' } });
    expect(own.posts).toHaveLength(1);
    const { id = '' } = own.posts[0] ?? {};
    const edit = (text: string, more: Record<string, string>) => post(own, { conversation: text }, 'text', more);
    expect(await edit('b', { edit: '3', id: 'UNKNOWN' })).toMatchObject({ error: '404' });
    expect(await edit('b', { edit: '8', id })).toMatchObject({ error: '479' });
    expect(await edit('b', { edit: '3', id })).not.toHaveProperty('error');
    expect(proto.Message.decode(own.getPost(100).plaintext).conversation).toBe('b');
    expect(await post(own, {}, 'text', { edit: '8', id })).not.toHaveProperty('error');
    expect(own.posts).toEqual([]);
    sandbox.channels.promote(other, peer.account, account());
    expect(await post(other, { conversation: 'a' }, 'text')).toMatchObject({ server_id: '100' });
    const theirPost = sandbox.phones.channelMessages.post(peer.account, other, { text: 'mine' });
    // Its id is that of the change as well.
    await client.until(() => client.upserts.some(({ message: { key } }) => key.id === theirPost.id));
    const change = { edit: '3', id: theirPost.id };
    expect(await post(other, { conversation: 'not yours' }, 'text', change)).toMatchObject({ error: '403' });
  });
});
