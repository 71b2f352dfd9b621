// The SQL conditions on the kind of device that sent a message. The id of a message shows the kind: WhatsApp's clients
// create ids of different lengths and prefixes. The rules are those of Baileys' getDevice(), from which `source` in the
// JSON of a stored message comes. A condition on this JSON would make the database parse every message it compares.
import { type RawBuilder, sql } from 'kysely';
import type { Message } from '../events/events.ts';

const id = sql.ref('message.id');
const hasPrefix = (prefix: string) => sql<boolean>`substr(${id}, 1, 2) = ${sql.lit(prefix)}`;
const hasLength = (...lengths: number[]) =>
  sql<boolean>`length(${id}) IN (${sql.join(lengths.map((n) => sql.lit(n)))})`;

const isIos = sql<boolean>`(${hasPrefix('3A')} AND ${hasLength(20)})`;
const isWeb = sql<boolean>`(${hasPrefix('3E')} AND ${hasLength(22)})`;
const isAndroid = hasLength(21, 32);
const isDesktop = sql<boolean>`((${hasPrefix('3F')} OR ${hasLength(18)}) AND NOT ${isAndroid})`;

/** The conditions on rows of the table `message`, by the value of `source`. */
export const SOURCE_CONDITIONS: Readonly<Record<Message['source'], RawBuilder<boolean>>> = {
  ios: isIos,
  web: isWeb,
  android: isAndroid,
  desktop: isDesktop,
  unknown: sql<boolean>`NOT (${isIos} OR ${isWeb} OR ${isAndroid} OR ${isDesktop})`,
};
