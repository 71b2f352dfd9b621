// Stanzas: the XML-like elements that client and server exchange. Their type, and functions that read their children.

/** One element. `content` holds its children, bytes or a text. */
export interface Stanza {
  tag: string;
  attrs: Record<string, string>;
  content?: Stanza[] | string | Uint8Array;
}

/** The children of an element; an empty array when it has none. */
export const allChildrenOf = (stanza: Stanza | undefined): Stanza[] =>
  Array.isArray(stanza?.content) ? stanza.content : [];

/** The children with the given tag. */
export const childrenOf = (stanza: Stanza | undefined, tag: string): Stanza[] =>
  allChildrenOf(stanza).filter((child) => child.tag === tag);

/** The first child with the given tag; undefined when there is none. */
export const childOf = (stanza: Stanza | undefined, tag: string): Stanza | undefined =>
  allChildrenOf(stanza).find((child) => child.tag === tag);
