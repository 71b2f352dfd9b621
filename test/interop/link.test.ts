// Linking a client of another make to the platform, and texts between it and an instance of the gateway.
import { describe, expect, it } from 'vitest';
import { at, textAt } from '../support/api.ts';
import { textOf } from './support/client.ts';
import { useStage } from './support/stage.ts';

const stage = useStage();

describe('a client linked by QR code and an instance', () => {
  it('exchange texts in both directions', async () => {
    const { client, shop, ada } = stage;
    const id = await client.send(shop.jid, { conversation: 'from the client' });
    expect(at(await stage.message(id), 'data.message')).toMatchObject({ conversation: 'from the client' });
    const sent = await stage.call('POST', '/message/sendText/shop', { number: ada.number, text: 'from the instance' });
    const received = await client.message(textAt(sent, 'key.id'));
    expect(textOf(received)).toBe('from the instance');
    expect(received.info).toMatchObject({ chat: shop.jid, isFromMe: false, pushName: 'Shop' });
  });
});
