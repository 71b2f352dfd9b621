// Hostile images that attack a decoder, on every path into the gateway. The account can still send.
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { at, textAt } from '../support/api.ts';
import { ada, createOwnGroup, startLinked } from '../support/group.ts';
import { disguisedSvgs, hugePng, manyFrames } from '../support/hostile-images.ts';
import { serve } from '../support/site.ts';

const env = { EGRESS_ALLOW: '127.0.0.0/8' };
const attacks = () => [...Object.values(disguisedSvgs()), hugePng(30_000, 30_000)];
const createPicture = () =>
  sharp({ create: { width: 60, height: 30, channels: 3, background: '#f00' } })
    .png()
    .toBuffer();

it('a link preview of a page with a hostile picture has no picture, and other pictures are sent meanwhile', async () => {
  const world = await startLinked({ env });
  const files = new Map(attacks().map((file, n) => [`/attack/${n}`, file]));
  const site = await serve((request, response) => {
    const url = request.url ?? '';
    const file = files.get(url);
    if (file) response.setHeader('content-type', 'image/png').end(file);
    else
      response
        .setHeader('content-type', 'text/html')
        .end(`<title>Shop</title><meta property="og:image" content="${url.replace('page', 'attack')}">`);
  });
  const { origin } = new URL(site);
  const sending = [...files.keys()].map(async (path) => {
    const text = `see ${origin}${path.replace('attack', 'page')}`;
    const { status, body } = await world.api('POST', '/message/sendText/sales', { number: ada, textMessage: { text } });
    expect(status).toBe(201);
    expect(at(body, 'message.extendedTextMessage')).toEqual({ text, matchedText: text.slice(4), title: 'Shop' });
  });
  const mediaMessage = { mediatype: 'image', media: (await createPicture()).toString('base64') };
  const sent = await world.api('POST', '/message/sendMedia/sales', { number: ada, mediaMessage });
  expect(sent.status, JSON.stringify(sent.body)).toBe(201);
  expect(textAt(sent.body, 'message.imageMessage.jpegThumbnail')).not.toBe('');
  await Promise.all(sending);
});

it('a hostile image is rejected as image, sticker, profile picture and group picture, with an explanation', async () => {
  const world = await startLinked({ env });
  const refused = { status: 400 };
  const { id: group } = await createOwnGroup(world);
  for (const file of attacks()) {
    const media = file.toString('base64');
    const sends = [
      ['sendMedia', { number: ada, mediaMessage: { mediatype: 'image', media } }],
      ['sendSticker', { number: ada, stickerMessage: { image: media } }],
    ] as const;
    for (const [name, body] of sends) {
      const answer = await world.api('POST', `/message/${name}/sales`, body);
      expect(answer, name).toMatchObject(refused);
      expect(at(answer.body, 'response.message')).toEqual(['The media is not an image that can be read']);
    }
    const profileAnswer = await world.api('PUT', '/chat/updateProfilePicture/sales', { picture: media });
    expect(profileAnswer).toMatchObject(refused);
    expect(at(profileAnswer.body, 'response.message')).toEqual([['picture is not a picture that can be read']]);
    const groupAnswer = await world.api('PUT', `/group/updateGroupPicture/sales?groupJid=${group}`, { image: media });
    expect(groupAnswer).toMatchObject(refused);
    expect(at(groupAnswer.body, 'response.message.0.message')).toBe('image is not a picture that can be read');
  }
  const frames = { number: ada, stickerMessage: { image: manyFrames(5_000).toString('base64') } };
  const animated = await world.api('POST', '/message/sendSticker/sales', frames);
  expect(animated).toMatchObject(refused);
  expect(textAt(animated.body, 'response.message.0')).toContain('more than 300 frames');
});
