// Channels between the client and the instance: each makes one, the other follows it, reads, reacts and leaves.
import { beforeAll, describe, expect, it } from 'vitest';
import { at, textAt } from '../support/api.ts';
import { textOf } from './support/client.ts';
import { control } from './support/phones.ts';
import { useStage } from './support/stage.ts';

const stage = useStage({ instance: { readChannels: true } });

describe('a channel of the instance', () => {
  let channel: string;

  beforeAll(async () => {
    const created = await stage.call('POST', '/channel/create/shop', { name: 'Shop news', description: 'Daily' });
    channel = textAt(created, 'id');
  });

  it('is read and followed by the client', async () => {
    const { engine } = stage.client;
    expect(await engine.newsletterMetadata(channel)).toMatchObject({ name: 'Shop news', description: 'Daily' });
    await engine.newsletterSubscribe(channel);
    const seen = await control(stage.platform, 'GET', `/phones/${stage.ada.number}/channels`);
    expect(JSON.stringify(seen)).toContain(channel);
  });

  it('shows its posts to the client', async () => {
    const post = await stage.fromShop('sendText', { number: channel, text: 'we are open' });
    expect(textOf(post)).toBe('we are open');
    expect(post.info.chat).toBe(channel);
  });

  it('counts a reaction of the client', async () => {
    const sent = await stage.call('POST', '/message/sendText/shop', { number: channel, text: 'like it?' });
    const id = textAt(sent, 'key.id');
    await stage.client.message(id);
    const list = await control(stage.platform, 'GET', `/phones/${stage.shop.number}/channels`);
    const post = [at([list].flat()[0], 'posts')].flat().find((each) => at(each, 'id') === id);
    await stage.client.engine.newsletterReactMessage(channel, String(at(post, 'serverId')), '👍');
    const after = await control(stage.platform, 'GET', `/phones/${stage.shop.number}/channels`);
    expect(JSON.stringify(after)).toContain('👍');
  });

  it('is muted and left by the client', async () => {
    const { engine } = stage.client;
    await engine.newsletterMute(channel, true);
    const own = () => control(stage.platform, 'GET', `/phones/${stage.ada.number}/channels`);
    expect(await own()).toMatchObject([{ id: channel, muted: true, role: 'SUBSCRIBER' }]);
    await engine.newsletterMute(channel, false);
    expect(await own()).toMatchObject([{ muted: false }]);
    await engine.newsletterUnsubscribe(channel);
    const seen = await control(stage.platform, 'GET', `/phones/${stage.ada.number}/channels`);
    expect(JSON.stringify(seen)).not.toContain(channel);
  });
});

describe('a channel of the client', () => {
  let channel: string;

  beforeAll(async () => {
    channel = (await stage.client.engine.newsletterCreate('Ada writes', 'Notes')).jid;
  });

  it('is read and followed by the instance', async () => {
    const found = await stage.call('GET', `/channel/findChannelInfos/shop?channel=${encodeURIComponent(channel)}`);
    expect(found).toMatchObject({ name: 'Ada writes' });
    await stage.call('POST', '/channel/follow/shop', { channel });
    const all = await stage.call('GET', '/channel/fetchAllChannels/shop');
    expect(JSON.stringify(all)).toContain(channel);
  });

  it('shows the posts of its owner to the instance', async () => {
    const body = { text: 'first note' };
    const post = await control(stage.platform, 'POST', `/phones/${stage.ada.number}/channels/${channel}/post`, body);
    const received = await stage.message(textAt(post, 'id'));
    expect(at(received, 'data.key.remoteJid')).toBe(channel);
    expect(JSON.stringify(received)).toContain('first note');
  });
});
