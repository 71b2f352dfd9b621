import { proto } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/events/events.ts';
import { restoreRowIds, withUniqueRowIds } from '../../../src/whatsapp/content/list-rows.ts';
import { toJson } from '../../../src/whatsapp/content/message.ts';

const createRow = (title: string, id: string) => ({ header: '', title, description: '', id });
const sections = [
  { title: 'Warm', rows: [createRow('Soup', 'first'), createRow('Stew', 'second')] },
  { title: 'Cold', rows: [createRow('Salad', 'first'), createRow('Bread', 'first')] },
];
const createList = (listSections: unknown = sections): proto.IMessage => ({
  interactiveMessage: {
    body: { text: 'Lunch' },
    nativeFlowMessage: {
      buttons: [{ name: 'single_select', buttonParamsJson: JSON.stringify({ title: 'Menu', sections: listSections }) }],
    },
  },
});
const paramsOf = (content: proto.IMessage) =>
  JSON.parse(content.interactiveMessage?.nativeFlowMessage?.buttons?.[0]?.buttonParamsJson ?? '');
const idsOf = (content: proto.IMessage): string[] =>
  paramsOf(content).sections.flatMap(({ rows }: { rows: { id: string }[] }) => rows.map(({ id }) => id));
const restore = (content: proto.IMessage): JsonObject => {
  const json = toJson(content);
  restoreRowIds(json);
  return json;
};
const createReply = (id: string, quotedMessage?: proto.IMessage): proto.IMessage => ({
  interactiveResponseMessage: {
    body: { text: 'Salad' },
    nativeFlowResponseMessage: { name: 'menu_options', paramsJson: JSON.stringify({ id, title: 'Salad' }), version: 3 },
    ...(quotedMessage ? { contextInfo: { stanzaId: 'A', quotedMessage } } : {}),
  },
});
const replyParamsOf = (json: JsonObject) => {
  const { interactiveResponseMessage: response } = proto.Message.fromObject(json);
  return JSON.parse(response?.nativeFlowResponseMessage?.paramsJson ?? '');
};

describe('rows of a list', () => {
  it('withUniqueRowIds() makes row ids unique, and restoreRowIds() restores the ids of the client', () => {
    const content = createList();
    const wire = withUniqueRowIds(content);
    expect(new Set(idsOf(wire)).size).toBe(4);
    expect(idsOf(wire).slice(0, 2)).toEqual(['first', 'second']);
    expect(content).toEqual(createList());
    expect(restore(wire)).toEqual(toJson(content));
    expect(restore({ ephemeralMessage: { message: wire } })).toEqual(
      toJson({ ephemeralMessage: { message: content } }),
    );
    const createQuote = (quotedMessage: proto.IMessage) => ({
      extendedTextMessage: { text: 'this?', contextInfo: { stanzaId: 'A', quotedMessage } },
    });
    expect(restore(createQuote(wire))).toEqual(toJson(createQuote(content)));
  });

  it('restoreRowIds() restores the row id in a reply to a list, and adds the section of the row', () => {
    const wire = withUniqueRowIds(createList());
    const [soup = '', , salad = ''] = idsOf(wire);
    expect(replyParamsOf(restore(createReply(salad)))).toEqual({ id: 'first', title: 'Salad' });
    expect(replyParamsOf(restore(createReply(salad, wire)))).toEqual({ id: 'first', title: 'Salad', section: 'Cold' });
    expect(replyParamsOf(restore(createReply(salad, { viewOnceMessage: { message: wire } })))).toMatchObject({
      section: 'Cold',
    });
    expect(replyParamsOf(restore(createReply(soup, wire)))).toMatchObject({ id: 'first', section: 'Warm' });
    const olderReply = { listResponseMessage: { title: 'Salad', singleSelectReply: { selectedRowId: salad } } };
    expect(restore(olderReply)).toMatchObject({
      listResponseMessage: { singleSelectReply: { selectedRowId: 'first' } },
    });
  });

  it('withUniqueRowIds() keeps unique ids, and makes ids unique when an id already ends with a suffix', () => {
    const [, stew] = sections[0]?.rows ?? [];
    const plain = createList([{ title: 'Warm', rows: [stew] }]);
    expect(withUniqueRowIds(plain)).toEqual(plain);
    expect(restore(plain)).toEqual(toJson(plain));
    expect(restore(createReply('second', plain))).toEqual(toJson(createReply('second', plain)));
    const suffixedList = createList([
      { title: 'Warm', rows: [createRow('Soup', 'x\u20632'), createRow('Stew', 'x'), createRow('Salad', 'x')] },
    ]);
    const wire = withUniqueRowIds(suffixedList);
    expect(new Set(idsOf(wire)).size).toBe(3);
    expect(restore(wire)).toEqual(toJson(suffixedList));
  });

  it.each([
    ['text that is not JSON', '{'],
    ['JSON that is not an object', '[]'],
    ['an id that is not a text', '{"id":1}'],
    ['malformed sections', '{"sections":[1,{"rows":{}},{"rows":[null,{"id":2}]}]}'],
  ])('withUniqueRowIds() and restoreRowIds() do not change content with %s', (_, text) => {
    const response: proto.IMessage = {
      interactiveResponseMessage: { nativeFlowResponseMessage: { name: 'menu_options', paramsJson: text } },
    };
    expect(restore(response)).toEqual(toJson(response));
    const malformedList: proto.IMessage = {
      interactiveMessage: { nativeFlowMessage: { buttons: [{ name: 'single_select', buttonParamsJson: text }] } },
    };
    expect(withUniqueRowIds(malformedList)).toEqual(malformedList);
    expect(restore(malformedList)).toEqual(toJson(malformedList));
    expect(restore({ interactiveResponseMessage: {}, listResponseMessage: {}, interactiveMessage: {} })).toEqual({
      interactiveResponseMessage: {},
      listResponseMessage: {},
      interactiveMessage: {},
    });
  });
});
