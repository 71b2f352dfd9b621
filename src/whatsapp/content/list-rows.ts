// Makes the row ids of list messages unique. Phones need unique ids, but some API clients use an id for several rows. A
// repeated id gets a suffix when the list is sent, and the suffix is removed from all content that WhatsApp delivers
// later. Decision D-157.

import type { Json, JsonObject } from '../../events/events.ts';
import type { proto } from '../baileys/proto.ts';

/** The first character of the suffix. Clients do not use this invisible separator in ids. */
const SEPARATOR = '\u2063';
/** Matches the suffix: the separator and the number of the row among the rows with the same id. */
const SUFFIX = /\u2063\d{1,5}$/;
/** Maximum nesting that is searched. Real content nests less: a wrapper, a quote, and a wrapper in the quote. */
const MAX_DEPTH = 6;

const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Returns the id to send for a row. `occurrence` is the number of the row among the rows with this id, from 1. The
 * first row keeps its id, unless the client's id already ends with a suffix.
 */
const toSentId = (id: string, occurrence: number): string =>
  occurrence === 1 && !SUFFIX.test(id) ? id : `${id}${SEPARATOR}${occurrence}`;
/** Returns the id that the client gave to the row. */
const toClientId = (id: string): string => id.replace(SUFFIX, '');

/**
 * Yields the rows of a list, each with the title of its section. A list message has a button `single_select`. `params`
 * are the parsed parameters of this button, which contain the sections with the rows.
 */
function* rowsIn(params: unknown): Generator<{ section: Json | undefined; row: JsonObject & { id: string } }> {
  const sections = isJsonObject(params) && Array.isArray(params.sections) ? params.sections : [];
  for (const section of sections) {
    const rows = isJsonObject(section) && Array.isArray(section.rows) ? section.rows : [];
    for (const row of rows) {
      if (!isJsonObject(row) || typeof row.id !== 'string') continue;
      yield { section: isJsonObject(section) ? section.title : undefined, row: row as JsonObject & { id: string } };
    }
  }
}

/** Parses JSON. Returns undefined for invalid JSON and for values that are not texts. */
function parse(text: Json | undefined): unknown {
  try {
    return typeof text === 'string' ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns a copy of a list message with unique row ids, or `content` itself when it is no list. */
export function withUniqueRowIds(content: proto.IMessage): proto.IMessage {
  const { interactiveMessage } = content;
  const flow = interactiveMessage?.nativeFlowMessage;
  if (!flow?.buttons?.some(({ name }) => name === 'single_select')) return content;
  const counts = new Map<string, number>();
  const buttons = flow.buttons.map((button) => {
    const params = button.name === 'single_select' ? parse(button.buttonParamsJson ?? '') : undefined;
    let isChanged = false;
    for (const { row } of rowsIn(params)) {
      const occurrence = (counts.get(row.id) ?? 0) + 1;
      counts.set(row.id, occurrence);
      const id = toSentId(row.id, occurrence);
      isChanged ||= id !== row.id;
      row.id = id;
    }
    return isChanged ? { ...button, buttonParamsJson: JSON.stringify(params) } : button;
  });
  return { ...content, interactiveMessage: { ...interactiveMessage, nativeFlowMessage: { ...flow, buttons } } };
}

/**
 * Restores the client's row ids in content from WhatsApp, in place: in lists, in replies that select a row, and in the
 * lists that replies quote. When several rows of the quoted list have the selected id, the reply also gets `section`,
 * the title of the selected row's section.
 */
export function restoreRowIds(content: JsonObject, depth = 0): void {
  if (depth === MAX_DEPTH) return;
  for (const [name, member] of Object.entries(content)) {
    if (!isJsonObject(member)) continue;
    const quoted = isJsonObject(member.contextInfo) ? member.contextInfo.quotedMessage : undefined;
    if (name === 'interactiveResponseMessage') restoreReply(member, quoted);
    if (name === 'listResponseMessage') restoreLegacyReply(member);
    if (name === 'interactiveMessage') restoreList(member);
    if (isJsonObject(member.message)) restoreRowIds(member.message, depth + 1);
    if (isJsonObject(quoted)) restoreRowIds(quoted, depth + 1);
  }
}

/** Restores the id in the `paramsJson` of a reply to a native-flow list. */
function restoreReply({ nativeFlowResponseMessage: response }: JsonObject, quoted: Json | undefined): void {
  const params = isJsonObject(response) ? parse(response.paramsJson) : undefined;
  if (!isJsonObject(response) || !isJsonObject(params) || typeof params.id !== 'string') return;
  const sentId = params.id;
  const clientId = toClientId(sentId);
  const rows = [...buttonParamsIn(quoted)].flatMap((listParams) => [...rowsIn(listParams)]);
  const rowsWithId = rows.filter(({ row }) => toClientId(row.id) === clientId);
  const section = rowsWithId.length > 1 ? rowsWithId.find(({ row }) => row.id === sentId)?.section : undefined;
  if (section === undefined && !SUFFIX.test(sentId)) return;
  response.paramsJson = JSON.stringify({
    ...params,
    id: clientId,
    ...(section === undefined ? {} : { section }),
  });
}

/** Restores the id in a reply to a list message of the older format. */
function restoreLegacyReply({ singleSelectReply: reply }: JsonObject): void {
  if (isJsonObject(reply) && typeof reply.selectedRowId === 'string')
    reply.selectedRowId = toClientId(reply.selectedRowId);
}

/** Restores the ids in a list, in the parameters of its buttons. */
function restoreList(interactive: JsonObject): void {
  for (const button of buttonsOf(interactive)) {
    // JSON without a suffix is not serialized again, so that its formatting stays unchanged.
    if (typeof button.buttonParamsJson !== 'string' || !button.buttonParamsJson.includes(SEPARATOR)) continue;
    const params = parse(button.buttonParamsJson);
    for (const { row } of rowsIn(params)) row.id = toClientId(row.id);
    if (params !== undefined) button.buttonParamsJson = JSON.stringify(params);
  }
}

/** Yields the parsed parameters of every button in a quoted message, which may be wrapped in other messages. */
function* buttonParamsIn(quoted: Json | undefined, depth = 0): Generator<unknown> {
  if (!isJsonObject(quoted) || depth === MAX_DEPTH) return;
  for (const [name, member] of Object.entries(quoted)) {
    if (!isJsonObject(member)) continue;
    if (name === 'interactiveMessage') for (const button of buttonsOf(member)) yield parse(button.buttonParamsJson);
    else if (isJsonObject(member.message)) yield* buttonParamsIn(member.message, depth + 1);
  }
}

function buttonsOf({ nativeFlowMessage: flow }: JsonObject): JsonObject[] {
  const buttons = isJsonObject(flow) && Array.isArray(flow.buttons) ? flow.buttons : [];
  return buttons.filter(isJsonObject);
}
