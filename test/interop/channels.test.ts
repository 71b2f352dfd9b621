// Channels of the interop client and of the instance, which follow, read and leave the channels of each other.
import { beforeAll, describe, expect, it } from 'vitest';
import { at, textAt } from '../support/api.ts';
import { textOf } from './support/client.ts';
import { control } from './support/phones.ts';
import { useStage } from './support/stage.ts';

const stage = useStage({ instance: { readChannels: true } });

describe('channels of the instance', () => {
  let channel: string;

  beforeAll(async () => {
    const created = await stage.call('POST', '/channel/create/shop', { name: 'Shop news', description: 'Daily' });
    channel = textAt(created, 'id');
  });

  it('the interop client queries and follows a channel of the instance', async () => {
    const { engine } = stage.client;
    expect(await engine.newsletterMetadata(channel)).toMatchObject({ name: 'Shop news', description: 'Daily' });
    await engine.newsletterSubscribe(channel);
    const seen = await control(stage.platform, 'GET', `/phones/${stage.ada.number}/channels`);
    expect(JSON.stringify(seen)).toContain(channel);
  });

  it('the interop client receives the posts of a channel of the instance', async () => {
    const post = await stage.sendFromInstance('sendText', { number: channel, text: 'we are open' });
    expect(textOf(post)).toBe('we are open');
    expect(post.info.chat).toBe(channel);
  });

  it('a channel of the instance counts the reaction of the interop client to a post', async () => {
    const sent = await stage.call('POST', '/message/sendText/shop', { number: channel, text: 'like it?' });
    const id = textAt(sent, 'key.id');
    await stage.client.message(id);
    const list = await control(stage.platform, 'GET', `/phones/${stage.shop.number}/channels`);
    const post = [at([list].flat()[0], 'posts')].flat().find((entry) => at(entry, 'id') === id);
    await stage.client.engine.newsletterReactMessage(channel, String(at(post, 'serverId')), '👍');
    const after = await control(stage.platform, 'GET', `/phones/${stage.shop.number}/channels`);
    expect(JSON.stringify(after)).toContain('👍');
  });

  it('the interop client mutes, unmutes and leaves a channel of the instance', async () => {
    const { engine } = stage.client;
    await engine.newsletterMute(channel, true);
    const listChannels = () => control(stage.platform, 'GET', `/phones/${stage.ada.number}/channels`);
    expect(await listChannels()).toMatchObject([{ id: channel, muted: true, role: 'SUBSCRIBER' }]);
    await engine.newsletterMute(channel, false);
    expect(await listChannels()).toMatchObject([{ muted: false }]);
    await engine.newsletterUnsubscribe(channel);
    const seen = await control(stage.platform, 'GET', `/phones/${stage.ada.number}/channels`);
    expect(JSON.stringify(seen)).not.toContain(channel);
  });
});

describe('channels of the interop client', () => {
  let channel: string;

  beforeAll(async () => {
    channel = (await stage.client.engine.newsletterCreate('Ada writes', 'Notes')).jid;
  });

  it('the instance queries and follows a channel of the interop client', async () => {
    const found = await stage.call('GET', `/channel/findChannelInfos/shop?channel=${encodeURIComponent(channel)}`);
    expect(found).toMatchObject({ name: 'Ada writes' });
    await stage.call('POST', '/channel/follow/shop', { channel });
    const all = await stage.call('GET', '/channel/fetchAllChannels/shop');
    expect(JSON.stringify(all)).toContain(channel);
  });

  it('the instance receives the posts of a channel of the interop client’s account', async () => {
    const body = { text: 'first note' };
    const post = await control(stage.platform, 'POST', `/phones/${stage.ada.number}/channels/${channel}/post`, body);
    const received = await stage.waitForMessage(textAt(post, 'id'));
    expect(at(received, 'data.key.remoteJid')).toBe(channel);
    expect(JSON.stringify(received)).toContain('first note');
  });
});
