// Routes each stanza (protocol message) of a client to its handler. A stanza that no handler answers gets an error
// response, so that the client does not wait. It is also recorded, so that a test fails.
import { type BinaryNode, binaryNodeToString, getAllBinaryNodeChildren } from '@whiskeysockets/baileys';
import { element, SERVER } from '../lib/binary-node.ts';
import type { ClientConnection } from '../wire/connection.ts';
import { FrameTooLargeError } from '../wire/frame.ts';
import type { Faults } from '../world/faults.ts';
import type { Companion, Phones, StanzaHandler } from '../world/model.ts';
import { pnJid } from '../world/world.ts';

/** A successful answer to a query. */
export interface Answer {
  /** The content of the result. */
  content?: BinaryNode[];
  /** Called when the result has been sent. */
  after?: () => void;
  /** Whether the content reports a part of the query as unknown. The query is then recorded like an unanswered one. */
  isPartial?: boolean;
}

/**
 * Answers an iq (query) of one xmlns (the attribute that names the subject of a query). Returns undefined for an
 * unknown request, which is then recorded as unanswered. Throws StanzaError to answer with an error.
 */
export type IqHandler = (companion: Companion, iq: BinaryNode, connection: ClientConnection) => Answer | undefined;

/** Texts of WhatsApp's errors. */
const ERROR_TEXTS: Readonly<Record<number, string>> = {
  400: 'bad-request',
  401: 'not-authorized',
  403: 'forbidden',
  404: 'item-not-found',
  406: 'not-acceptable',
  409: 'conflict',
  429: 'rate-overlimit',
  500: 'internal-server-error',
  501: 'feature-not-implemented',
};

/** An error with WhatsApp's code, such as 404. */
export class StanzaError extends Error {
  readonly code: number;
  constructor(code: number) {
    super(ERROR_TEXTS[code] ?? 'error');
    this.code = code;
  }

  /** The `<error>` element. */
  get node(): BinaryNode {
    return element('error', { code: String(this.code), text: this.message });
  }
}

/** A stanza that no handler answered. */
export interface Unanswered {
  /** ISO time, UTC. */
  at: string;
  /** JID of the client, or 'registration' for a client that is not linked yet. */
  from: string;
  /** Tag, type and xmlns, which can be logged because they contain no personal data. */
  what: string;
  /** The stanza as XML-like text. */
  stanza: string;
}

export interface RouterOptions {
  phones: Phones;
  faults: Faults;
  /** Handlers by xmlns. */
  iq: Readonly<Record<string, IqHandler>>;
  /**
   * Answers queries of the xmlns `md` (linking) on a connection that is not logged in. Returns undefined for an unknown
   * query.
   */
  answerUnregistered(connection: ClientConnection, iq: BinaryNode): Answer | undefined;
  onUnanswered(entry: Omit<Unanswered, 'at'>): void;
}

/**
 * Tags of stanzas that the server ignores after the login. With `ib`, clients send telemetry and ask for the next
 * offline messages.
 */
const IGNORED_TAGS = new Set(['ib']);
/** Tags of stanzas that the server ignores before the login. */
const IGNORED_BEFORE_LOGIN = new Set(['ib', 'presence', 'ack']);

/** Maximum number of characters of a recorded stanza. */
const MAX_RECORDED = 10_000;

export function createRouter({ phones, faults, iq, answerUnregistered, onUnanswered }: RouterOptions) {
  // Maps, because an object would also find inherited names such as `constructor`.
  const byTag: ReadonlyMap<string, StanzaHandler> = new Map(Object.entries(phones.stanzas));
  const byXmlns: ReadonlyMap<string, IqHandler> = new Map(Object.entries(iq));

  function record({ companion }: ClientConnection, node: BinaryNode): void {
    const { type = '', xmlns = '' } = node.attrs;
    onUnanswered({
      from: companion ? pnJid(companion.account, companion.device) : 'registration',
      what: shorten(`${node.tag} ${type} ${xmlns}`.trim()),
      stanza: shorten(binaryNodeToString(node)),
    });
  }

  /** Records the stanza as unanswered and returns the error response. */
  function refuse(connection: ClientConnection, node: BinaryNode): BinaryNode {
    record(connection, node);
    if (node.tag === 'iq') return errorOf(node, new StanzaError(501));
    const { id, to } = node.attrs;
    return element('ack', { id, from: to, class: node.tag, error: '501' });
  }

  function answerIq(connection: ClientConnection, node: BinaryNode): Answer | undefined {
    const { companion } = connection;
    const { xmlns = '' } = node.attrs;
    // A test can inject a fault that makes the next query fail.
    const fault = companion && faults.take('failNext', companion.account.number, xmlns);
    if (fault) throw new StanzaError(fault.code ?? 500);
    if (xmlns === 'w:p') return answerKeepAlive(node);
    if (!companion) return xmlns === 'md' ? answerUnregistered(connection, node) : undefined;
    return byXmlns.get(xmlns)?.(companion, node, connection);
  }

  function serveIq(connection: ClientConnection, node: BinaryNode): void {
    const { id, type } = node.attrs;
    try {
      // A query has an id and one of these types. Other types are responses.
      const isQuery = id !== undefined && (type === 'get' || type === 'set');
      // The fault `mute` leaves the next query without an answer.
      if (isQuery && faults.take('mute', connection.companion?.account.number, node.attrs.xmlns)) return;
      const answer = isQuery ? answerIq(connection, node) : undefined;
      connection.send(answer ? resultOf(node, answer.content) : refuse(connection, node));
      if (answer?.isPartial) record(connection, node);
      answer?.after?.();
    } catch (err) {
      // A result that is too large for a frame was not sent, so the error is the only answer.
      const error = err instanceof FrameTooLargeError ? new StanzaError(500) : err;
      if (!(error instanceof StanzaError)) throw error;
      connection.send(errorOf(node, error));
    }
  }

  /** Routes one stanza. Resolves when it is handled. */
  return async function route(connection: ClientConnection, node: BinaryNode): Promise<void> {
    if (node.tag === 'iq') return serveIq(connection, node);
    const ignored = connection.companion ? IGNORED_TAGS : IGNORED_BEFORE_LOGIN;
    if (ignored.has(node.tag)) return;
    const handler = connection.companion && byTag.get(node.tag);
    if (!handler || !(await handler(connection, node))) connection.send(refuse(connection, node));
  };
}

/** The first MAX_RECORDED characters of a text, as a copy: a slice would keep the whole text in memory. */
const shorten = (text: string): string =>
  text.length > MAX_RECORDED ? Buffer.from(text.slice(0, MAX_RECORDED)).toString() : text;

/**
 * Answers a keep-alive (xmlns `w:p`), which clients also send while they show a QR code. A keep-alive contains
 * `<ping/>` or, from some clients, no element. Returns undefined for another query with this xmlns.
 */
function answerKeepAlive(iq: BinaryNode): Answer | undefined {
  const request = requestOf(iq);
  return !request || request.tag === 'ping' ? {} : undefined;
}

const resultOf = ({ attrs }: BinaryNode, content?: BinaryNode[]) =>
  element('iq', { from: attrs.to ?? SERVER, type: 'result', id: attrs.id }, content);

const errorOf = ({ attrs }: BinaryNode, cause: StanzaError) =>
  element('iq', { from: attrs.to ?? SERVER, type: 'error', id: attrs.id }, [cause.node]);

/** The first child element of an iq, which in most cases is the request. */
export const requestOf = (iq: BinaryNode): BinaryNode | undefined => getAllBinaryNodeChildren(iq)[0];
