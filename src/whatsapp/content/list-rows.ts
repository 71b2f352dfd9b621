// Row ids of lists. Phones tell rows apart by their ids alone, callers repeat them: a repeated id has a mark on its way to the phone, which
// is taken off again in everything that comes back.

import type { Json, JsonObject } from '../../events/events.ts';
import type { proto } from '../baileys/proto.ts';

/** An invisible separator, which no caller writes, and the number of the row among those with the same id. */
const MARK = '\u2063';
const MARKED = /\u2063\d{1,5}$/;
/** Deeper than content nests: a wrapper, a quote and a wrapper in it. */
const MAX_DEPTH = 6;

const isMember = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The `n`th row with this id, from 1, as phones get it. The first keeps its id, unless that looks marked. */
const toWireId = (id: string, n: number): string => (n === 1 && !MARKED.test(id) ? id : `${id}${MARK}${n}`);
const toCallerId = (id: string): string => id.replace(MARKED, '');

/** The rows in the JSON of a list's button, with the title of their section; none when it is no such JSON. */
function* rowsIn(params: unknown): Generator<{ section: Json | undefined; row: JsonObject & { id: string } }> {
  const sections = isMember(params) && Array.isArray(params.sections) ? params.sections : [];
  for (const section of sections) {
    const rows = isMember(section) && Array.isArray(section.rows) ? section.rows : [];
    for (const row of rows) {
      if (!isMember(row) || typeof row.id !== 'string') continue;
      yield { section: isMember(section) ? section.title : undefined, row: row as JsonObject & { id: string } };
    }
  }
}

function parse(text: Json | undefined): unknown {
  try {
    return typeof text === 'string' ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

/** Content as it is relayed: the same, or a copy whose row ids all differ. Leaves `content` as it is. */
export function toDistinctRows(content: proto.IMessage): proto.IMessage {
  const { interactiveMessage } = content;
  const flow = interactiveMessage?.nativeFlowMessage;
  if (!flow?.buttons?.some(({ name }) => name === 'single_select')) return content;
  const counts = new Map<string, number>();
  const buttons = flow.buttons.map((button) => {
    const params = button.name === 'single_select' ? parse(button.buttonParamsJson ?? '') : undefined;
    let isChanged = false;
    for (const { row } of rowsIn(params)) {
      const n = (counts.get(row.id) ?? 0) + 1;
      counts.set(row.id, n);
      const id = toWireId(row.id, n);
      isChanged ||= id !== row.id;
      row.id = id;
    }
    return isChanged ? { ...button, buttonParamsJson: JSON.stringify(params) } : button;
  });
  return { ...content, interactiveMessage: { ...interactiveMessage, nativeFlowMessage: { ...flow, buttons } } };
}

/**
 * Gives every row in content from the platform, lists, taps and what they quote, the id that the caller wrote. A tap on one of several rows with
 * the same id also tells the title of its section, as `section`, when the tap quotes its list. Changes `content` in place.
 */
export function restoreRows(content: JsonObject, depth = 0): void {
  if (depth === MAX_DEPTH) return;
  for (const [name, member] of Object.entries(content)) {
    if (!isMember(member)) continue;
    const quoted = isMember(member.contextInfo) ? member.contextInfo.quotedMessage : undefined;
    if (name === 'interactiveResponseMessage') restoreTap(member, quoted);
    if (name === 'listResponseMessage') restoreSelection(member);
    if (name === 'interactiveMessage') restoreList(member);
    if (isMember(member.message)) restoreRows(member.message, depth + 1);
    if (isMember(quoted)) restoreRows(quoted, depth + 1);
  }
}

/** `paramsJson` of a tap, as phones write it: `id` and more. */
function restoreTap({ nativeFlowResponseMessage: response }: JsonObject, quoted: Json | undefined): void {
  const params = isMember(response) ? parse(response.paramsJson) : undefined;
  if (!isMember(response) || !isMember(params) || typeof params.id !== 'string') return;
  const wireId = params.id;
  const rows = [...listsIn(quoted)].flatMap((list) => [...rowsIn(list)]);
  const namesakes = rows.filter(({ row }) => toCallerId(row.id) === toCallerId(wireId));
  const section = namesakes.length > 1 ? namesakes.find(({ row }) => row.id === wireId)?.section : undefined;
  if (section === undefined && !MARKED.test(wireId)) return;
  response.paramsJson = JSON.stringify({
    ...params,
    id: toCallerId(wireId),
    ...(section === undefined ? {} : { section }),
  });
}

function restoreSelection({ singleSelectReply: reply }: JsonObject): void {
  if (isMember(reply) && typeof reply.selectedRowId === 'string') reply.selectedRowId = toCallerId(reply.selectedRowId);
}

function restoreList(interactive: JsonObject): void {
  for (const button of buttonsOf(interactive)) {
    // JSON that nobody marked stays as it was written.
    if (typeof button.buttonParamsJson !== 'string' || !button.buttonParamsJson.includes(MARK)) continue;
    const params = parse(button.buttonParamsJson);
    for (const { row } of rowsIn(params)) row.id = toCallerId(row.id);
    if (params !== undefined) button.buttonParamsJson = JSON.stringify(params);
  }
}

/** What the buttons of a quoted list say, bare or in a wrapper. */
function* listsIn(quoted: Json | undefined, depth = 0): Generator<unknown> {
  if (!isMember(quoted) || depth === MAX_DEPTH) return;
  for (const [name, member] of Object.entries(quoted)) {
    if (!isMember(member)) continue;
    if (name === 'interactiveMessage') for (const button of buttonsOf(member)) yield parse(button.buttonParamsJson);
    else if (isMember(member.message)) yield* listsIn(member.message, depth + 1);
  }
}

function buttonsOf({ nativeFlowMessage: flow }: JsonObject): JsonObject[] {
  const buttons = isMember(flow) && Array.isArray(flow.buttons) ? flow.buttons : [];
  return buttons.filter(isMember);
}
