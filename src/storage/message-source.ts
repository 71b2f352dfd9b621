// The SQL conditions on the kind of device that sent a message. The id of a message shows the kind: WhatsApp's clients
// create ids of different lengths and prefixes. The rules are those of Baileys' getDevice(), from which `source` in the
// JSON of a stored message comes. A condition on this JSON would make the database parse every message it compares.
import { type RawBuilder, sql } from 'kysely';
import type { Message } from '../events/events.ts';

const MESSAGE_ID = sql.ref('message.id');
const hasPrefix = (prefix: string) => sql<boolean>`substr(${MESSAGE_ID}, 1, 2) = ${sql.lit(prefix)}`;
const hasLength = (...lengths: number[]) =>
  sql<boolean>`length(${MESSAGE_ID}) IN (${sql.join(lengths.map((n) => sql.lit(n)))})`;

const IS_IOS = sql<boolean>`(${hasPrefix('3A')} AND ${hasLength(20)})`;
const IS_WEB = sql<boolean>`(${hasPrefix('3E')} AND ${hasLength(22)})`;
const IS_ANDROID = hasLength(21, 32);
const IS_DESKTOP = sql<boolean>`((${hasPrefix('3F')} OR ${hasLength(18)}) AND NOT ${IS_ANDROID})`;

/** The conditions on rows of the table `message`, by the value of `source`. */
export const SOURCE_CONDITIONS: Readonly<Record<Message['source'], RawBuilder<boolean>>> = {
  ios: IS_IOS,
  web: IS_WEB,
  android: IS_ANDROID,
  desktop: IS_DESKTOP,
  unknown: sql<boolean>`NOT (${IS_IOS} OR ${IS_WEB} OR ${IS_ANDROID} OR ${IS_DESKTOP})`,
};
