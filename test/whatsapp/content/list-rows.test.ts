import { proto } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/events/events.ts';
import { restoreRowIds, withUniqueRowIds } from '../../../src/whatsapp/content/list-rows.ts';
import { toJson } from '../../../src/whatsapp/content/message.ts';

const row = (title: string, id: string) => ({ header: '', title, description: '', id });
const sections = [
  { title: 'Warm', rows: [row('Soup', 'first'), row('Stew', 'second')] },
  { title: 'Cold', rows: [row('Salad', 'first'), row('Bread', 'first')] },
];
const list = (choice: unknown = sections): proto.IMessage => ({
  interactiveMessage: {
    body: { text: 'Lunch' },
    nativeFlowMessage: {
      buttons: [{ name: 'single_select', buttonParamsJson: JSON.stringify({ title: 'Menu', sections: choice }) }],
    },
  },
});
const paramsOf = (content: proto.IMessage) =>
  JSON.parse(content.interactiveMessage?.nativeFlowMessage?.buttons?.[0]?.buttonParamsJson ?? '');
const idsOf = (content: proto.IMessage): string[] =>
  paramsOf(content).sections.flatMap(({ rows }: { rows: { id: string }[] }) => rows.map(({ id }) => id));
const restored = (content: proto.IMessage): JsonObject => {
  const json = toJson(content);
  restoreRowIds(json);
  return json;
};
const tap = (id: string, quotedMessage?: proto.IMessage): proto.IMessage => ({
  interactiveResponseMessage: {
    body: { text: 'Salad' },
    nativeFlowResponseMessage: { name: 'menu_options', paramsJson: JSON.stringify({ id, title: 'Salad' }), version: 3 },
    ...(quotedMessage ? { contextInfo: { stanzaId: 'A', quotedMessage } } : {}),
  },
});
const tapped = (json: JsonObject) => {
  const { interactiveResponseMessage: response } = proto.Message.fromObject(json);
  return JSON.parse(response?.nativeFlowResponseMessage?.paramsJson ?? '');
};

describe('rows of a list', () => {
  it("withUniqueRowIds makes row ids unique, and restoreRowIds restores the client's ids", () => {
    const content = list();
    const wire = withUniqueRowIds(content);
    expect(new Set(idsOf(wire)).size).toBe(4);
    expect(idsOf(wire).slice(0, 2)).toEqual(['first', 'second']);
    expect(content).toEqual(list());
    expect(restored(wire)).toEqual(toJson(content));
    expect(restored({ ephemeralMessage: { message: wire } })).toEqual(
      toJson({ ephemeralMessage: { message: content } }),
    );
    const quote = (quotedMessage: proto.IMessage) => ({
      extendedTextMessage: { text: 'this?', contextInfo: { stanzaId: 'A', quotedMessage } },
    });
    expect(restored(quote(wire))).toEqual(toJson(quote(content)));
  });

  it("restoreRowIds adds the client's id and the section of the row to a tap", () => {
    const wire = withUniqueRowIds(list());
    const [soup = '', , salad = ''] = idsOf(wire);
    expect(tapped(restored(tap(salad)))).toEqual({ id: 'first', title: 'Salad' });
    expect(tapped(restored(tap(salad, wire)))).toEqual({ id: 'first', title: 'Salad', section: 'Cold' });
    expect(tapped(restored(tap(salad, { viewOnceMessage: { message: wire } })))).toMatchObject({ section: 'Cold' });
    expect(tapped(restored(tap(soup, wire)))).toMatchObject({ id: 'first', section: 'Warm' });
    const older = { listResponseMessage: { title: 'Salad', singleSelectReply: { selectedRowId: salad } } };
    expect(restored(older)).toMatchObject({ listResponseMessage: { singleSelectReply: { selectedRowId: 'first' } } });
  });

  it('withUniqueRowIds keeps unique ids, also when one looks suffixed', () => {
    const [, stew] = sections[0]?.rows ?? [];
    const plain = list([{ title: 'Warm', rows: [stew] }]);
    expect(withUniqueRowIds(plain)).toEqual(plain);
    expect(restored(plain)).toEqual(toJson(plain));
    expect(restored(tap('second', plain))).toEqual(toJson(tap('second', plain)));
    const odd = list([{ title: 'Warm', rows: [row('Soup', 'x\u20632'), row('Stew', 'x'), row('Salad', 'x')] }]);
    const wire = withUniqueRowIds(odd);
    expect(new Set(idsOf(wire)).size).toBe(3);
    expect(restored(wire)).toEqual(toJson(odd));
  });

  it.each([
    ['no JSON', '{'],
    ['no object', '[]'],
    ['no text as id', '{"id":1}'],
    ['odd sections', '{"sections":[1,{"rows":{}},{"rows":[null,{"id":2}]}]}'],
  ])('restoreRowIds keeps a list with %s from a phone unchanged', (_, text) => {
    const response: proto.IMessage = {
      interactiveResponseMessage: { nativeFlowResponseMessage: { name: 'menu_options', paramsJson: text } },
    };
    expect(restored(response)).toEqual(toJson(response));
    const odd: proto.IMessage = {
      interactiveMessage: { nativeFlowMessage: { buttons: [{ name: 'single_select', buttonParamsJson: text }] } },
    };
    expect(withUniqueRowIds(odd)).toEqual(odd);
    expect(restored(odd)).toEqual(toJson(odd));
    expect(restored({ interactiveResponseMessage: {}, listResponseMessage: {}, interactiveMessage: {} })).toEqual({
      interactiveResponseMessage: {},
      listResponseMessage: {},
      interactiveMessage: {},
    });
  });
});
