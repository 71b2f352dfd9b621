// What was recorded between a gateway and the sandbox: stanzas of the platform and contents of messages (record.ts writes them).
import { existsSync, readFileSync } from 'node:fs';
import type { BinaryNode } from '@whiskeysockets/baileys';

const read = (name: string): unknown => {
  const file = new URL(`./corpus/${name}.json`, import.meta.url);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : [];
};

/** A stanza as JSON: bytes are `{ "base64": … }`. */
export type NodeJson = {
  tag: string;
  attrs: Record<string, string>;
  content?: NodeJson[] | string | { base64: string };
};

export function toJson({ tag, attrs, content }: BinaryNode): NodeJson {
  if (content === undefined) return { tag, attrs };
  if (Array.isArray(content)) return { tag, attrs, content: content.map(toJson) };
  if (typeof content === 'string') return { tag, attrs, content };
  return { tag, attrs, content: { base64: Buffer.from(content).toString('base64') } };
}

export function fromJson({ tag, attrs, content }: NodeJson): BinaryNode {
  if (content === undefined || typeof content === 'string') return { tag, attrs, content };
  if (Array.isArray(content)) return { tag, attrs, content: content.map(fromJson) };
  return { tag, attrs, content: Buffer.from(content.base64, 'base64') };
}

let stanzas: NodeJson[] | undefined;
let contents: Buffer[] | undefined;

export function recordedStanzas(): readonly NodeJson[] {
  stanzas ??= read('stanzas') as NodeJson[];
  return stanzas;
}

export function recordedContents(): readonly Buffer[] {
  contents ??= (read('contents') as string[]).map((base64) => Buffer.from(base64, 'base64'));
  return contents;
}
