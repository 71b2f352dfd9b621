// Stanzas, the XML-like elements that travel in frames: their type, and reading their children.

/** One element: `attrs` are texts, `content` is its children, bytes or text. */
export interface Stanza {
  tag: string;
  attrs: Record<string, string>;
  content?: Stanza[] | string | Uint8Array;
}

/** The children of an element; none when it holds bytes, text or nothing. */
export const allChildrenOf = (stanza: Stanza | undefined): Stanza[] =>
  Array.isArray(stanza?.content) ? stanza.content : [];

/** The children with this tag. */
export const childrenOf = (stanza: Stanza | undefined, tag: string): Stanza[] =>
  allChildrenOf(stanza).filter((child) => child.tag === tag);

/** The first child with this tag; undefined when there is none. */
export const childOf = (stanza: Stanza | undefined, tag: string): Stanza | undefined =>
  allChildrenOf(stanza).find((child) => child.tag === tag);
