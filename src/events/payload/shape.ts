// What the payloads of all areas share: types only.
import type { DomainEvent, Message } from '../events.ts';

/** The instance as payloads name it: v2 clients read `instanceId`, v1 clients read the name as `owner`. */
export interface Owner {
  id: string;
  name: string;
  /** Where the file of a message can be fetched; undefined when it has none. */
  linkTo?(message: Message): string | undefined;
}

/** JSON once stringified: members that are undefined disappear. */
export type Data = Record<string, unknown> | readonly (Record<string, unknown> | string)[] | null;

export type Of<Type extends DomainEvent['type']> = Extract<DomainEvent, { type: Type }>;
