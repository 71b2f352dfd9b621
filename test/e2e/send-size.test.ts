// Messages that are too large: the gateway refuses them, and the connection of the account stays open.
import { expect, it } from 'vitest';
import { textAt } from '../support/api.ts';
import { ada, startLinked } from '../support/group.ts';

it('a status of 17 MB and a quote of 3 MB are refused, and the connection stays open', async () => {
  const world = await startLinked();
  const lineCount = world.log.length;
  const status = { type: 'text', content: 'a'.repeat(17_000_000), statusJidList: [ada] };
  const message = { imageMessage: { jpegThumbnail: Buffer.alloc(3_000_000).toString('base64') } };
  const file = { number: ada, mediatype: 'document', media: 'AAAA', fileName: 'a.bin' };
  const refusals: [string, object, RegExp][] = [
    ['/message/sendStatus/sales', status, /of a text must have at most 65536 characters/],
    ['/message/sendMedia/sales', { ...file, quoted: { key: { id: 'A' }, message } }, /options.quoted.message/],
  ];
  for (const [path, body, text] of refusals) {
    const refused = await world.api('POST', path, body);
    expect(refused.body).toMatchObject({ status: 400, code: 'INVALID_REQUEST', certain: true });
    expect(JSON.stringify(refused.body)).toMatch(text);
  }
  const longest = { type: 'text', content: '😀'.repeat(65_536), statusJidList: [ada] };
  expect((await world.api('POST', '/message/sendStatus/sales', longest)).status).toBe(201);
  const sent = await world.api('POST', '/message/sendText/sales', { number: ada, text: 'still here' });
  const phone = world.sandbox.phones.phone(ada);
  await phone.waitFor(() => phone.messages().some(({ id }) => id === textAt(sent.body, 'key.id')));
  expect(world.log.slice(lineCount).filter(({ msg }) => msg === 'instance.state.changed')).toEqual([]);
});
