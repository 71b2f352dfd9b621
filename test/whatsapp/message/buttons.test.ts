import { describe, expect, it } from 'vitest';
import { nativeFlowNodes } from '../../../src/whatsapp/content/interactive.ts';
import { type Button, toFlowButtons } from '../../../src/whatsapp/message/buttons.ts';

const reply = (id: string): Button => ({ type: 'reply', displayText: id, id });
const pix: Button = { type: 'pix', currency: 'BRL', name: 'Ada', keyType: 'random', key: 'a-b-c' };
const url: Button = { type: 'url', displayText: 'Read', url: 'https://example.com' };

describe('buttons', () => {
  it('toFlowButtons() converts each type of button', () => {
    const call: Button = { type: 'call', displayText: 'Call', phoneNumber: '+5511987654321' };
    const copy: Button = { type: 'copy', displayText: 'Copy', copyCode: 'ABC' };
    expect(toFlowButtons([{ displayText: 'Yes', id: 'y' }])).toEqual([
      { name: 'quick_reply', params: { display_text: 'Yes', id: 'y' } },
    ]);
    expect(toFlowButtons([url, call, copy])).toEqual([
      {
        name: 'cta_url',
        params: { display_text: 'Read', url: 'https://example.com', merchant_url: 'https://example.com' },
      },
      { name: 'cta_call', params: { display_text: 'Call', phone_number: '+5511987654321' } },
      { name: 'cta_copy', params: { display_text: 'Copy', copy_code: 'ABC' } },
    ]);
    const [payment] = toFlowButtons([pix]);
    expect(payment).toMatchObject({
      name: 'payment_info',
      params: {
        currency: 'BRL',
        payment_settings: [{ pix_static_code: { merchant_name: 'Ada', key: 'a-b-c', key_type: 'EVP' } }],
      },
    });
  });

  it.each([
    [[], 'At least one button is required'],
    [['1', '2', '3', '4'].map(reply), 'Maximum of 3 reply buttons allowed'],
    [[reply('1'), url], 'Reply buttons cannot be mixed with other button types'],
    [[pix, pix], 'Only one PIX button is allowed'],
    [[pix, url], 'PIX button cannot be mixed with other button types'],
    [[reply('1'), { type: 'reply', displayText: 'No' }], 'buttonMessage.buttons[1] requires property "id"'],
    [[{ type: 'url', url: 'https://example.com' }], 'buttonMessage.buttons[0] requires property "displayText"'],
    [[{ ...pix, keyType: undefined }], 'buttonMessage.buttons[0] requires property "keyType"'],
  ] satisfies [
    Button[],
    string,
  ][])('toFlowButtons() rejects invalid combinations of buttons: %#', (buttons, errorText) => {
    const convert = () => toFlowButtons(buttons);
    expect(convert).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST', certain: true }));
    expect(convert).toThrow(errorText.replaceAll('"', '\\"'));
  });

  it('nativeFlowNodes() returns one kind of nodes for buttons and another kind for payments', () => {
    const [biz] = nativeFlowNodes(toFlowButtons([url]), 1_700_000_000_000);
    expect(biz).toMatchObject({
      tag: 'biz',
      attrs: { actual_actors: '2', host_storage: '2', privacy_mode_ts: '1700000000' },
      content: [
        { tag: 'interactive', content: [{ tag: 'native_flow', attrs: { v: '9', name: 'mixed' } }] },
        { tag: 'quality_control', attrs: { decision_id: expect.stringMatching(/^[\da-f]{40}$/) } },
      ],
    });
    expect(nativeFlowNodes(toFlowButtons([pix]), 0)).toEqual([
      { tag: 'biz', attrs: { native_flow_name: 'payment_info' }, content: undefined },
    ]);
  });
});
