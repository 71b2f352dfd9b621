// Makes row ids of lists unique. Phones identify rows by id, but callers repeat ids. A repeated id gets a suffix when
// the list is sent; the suffix is removed from everything that comes back.

import type { Json, JsonObject } from '../../events/events.ts';
import type { proto } from '../baileys/proto.ts';

/**
 * The suffix: an invisible separator, which callers do not use, and the number of the row among the rows with the same
 * id.
 */
const MARK = '\u2063';
const MARKED = /\u2063\d{1,5}$/;
/** Maximum nesting that is searched. Content nests less: a wrapper, a quote, and a wrapper in the quote. */
const MAX_DEPTH = 6;

const isMember = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Returns the id on the wire of the `n`th row with this id, from 1. The first row keeps its id unless the id itself
 * looks suffixed.
 */
const toWireId = (id: string, n: number): string => (n === 1 && !MARKED.test(id) ? id : `${id}${MARK}${n}`);
const toCallerId = (id: string): string => id.replace(MARKED, '');

/**
 * Yields the rows in the JSON of a list button, each with the title of its section. Yields nothing for invalid JSON.
 */
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

/** Returns the content to relay: `content` itself, or a copy with unique row ids. */
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
 * Restores the caller's row ids in content from WhatsApp: lists, taps, and the lists that taps quote. A tap on one of
 * several rows with the same id also gets `section`, the title of the row's section, when it quotes its list. Changes
 * `content` in place.
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

/** Restores the id in `paramsJson` of a tap, which is JSON with `id` and other members. */
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
    // JSON without a suffix stays exactly as it was written.
    if (typeof button.buttonParamsJson !== 'string' || !button.buttonParamsJson.includes(MARK)) continue;
    const params = parse(button.buttonParamsJson);
    for (const { row } of rowsIn(params)) row.id = toCallerId(row.id);
    if (params !== undefined) button.buttonParamsJson = JSON.stringify(params);
  }
}

/** Yields the parsed button parameters of a quoted list, with or without a wrapper around it. */
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
