// Defines stanzas, the XML-like elements that client and server exchange, and functions that read their children.

/** An element. `content` is a list of child elements, a text, or bytes. */
export interface Stanza {
  tag: string;
  attrs: Record<string, string>;
  content?: Stanza[] | string | Uint8Array;
}

/** Address to which status posts are sent. It is not a chat. */
export const STATUS_JID = 'status@broadcast';

/** Returns the children of an element, or an empty array for an element without children. */
export const allChildrenOf = (stanza: Stanza | undefined): Stanza[] =>
  Array.isArray(stanza?.content) ? stanza.content : [];

/** Returns the children with the given tag. */
export const childrenOf = (stanza: Stanza | undefined, tag: string): Stanza[] =>
  allChildrenOf(stanza).filter((child) => child.tag === tag);

/** Returns the first child with the given tag; undefined when there is none. */
export const childOf = (stanza: Stanza | undefined, tag: string): Stanza | undefined =>
  allChildrenOf(stanza).find((child) => child.tag === tag);
