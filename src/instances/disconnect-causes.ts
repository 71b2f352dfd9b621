// Maps the close codes of WhatsApp to disconnect causes, and the causes to their texts and to the state that follows.
// A cause is the gateway's own class of a disconnection: `cause` in the API, the logs and the metrics. A reason is what
// Baileys reports: the close code (DisconnectReason) and a text.
// Sources: DisconnectReason of Baileys, and how whatsmeow (a WhatsApp library in Go) treats the same codes.
// disconnect-causes.test.ts checks every row.

/** `connecting` reconnects now and `backoff` later. The other states do not reconnect until a client requests it. */
export type DisconnectOutcome = 'connecting' | 'backoff' | 'stopped' | 'logged_out' | 'blocked';

/**
 * The close codes that the gateway refers to by name. CAUSE_BY_CODE contains all known codes. The names are those of
 * DisconnectReason in Baileys, which also uses some of the codes for errors of its own.
 */
export const CLOSE_CODE = {
  loggedOut: 401,
  /** Also the code for unanswered keep-alives and expired QR codes. */
  timedOut: 408,
  /** The connection was closed without a reason. */
  connectionClosed: 428,
  /** Another connection of this device was opened. */
  connectionReplaced: 440,
  badSession: 500,
  unavailableService: 503,
  restartRequired: 515,
} as const;

interface CauseInfo {
  /** The state that follows. */
  next: DisconnectOutcome;
  message: string;
  /** What a person has to do, or null. */
  userAction: string | null;
}

const CAUSES = {
  restart_required: {
    next: 'connecting',
    message: 'The platform asked for a new connection, as it does right after linking.',
    userAction: null,
  },
  qr_expired: {
    next: 'connecting',
    message: 'The QR codes of this connection expired; new ones follow.',
    userAction: null,
  },
  transient: { next: 'backoff', message: 'The connection was lost; it is retried.', userAction: null },
  silent: {
    next: 'backoff',
    message: 'The platform stopped answering on an open connection; a new one is made.',
    userAction: null,
  },
  malformed: {
    next: 'backoff',
    message: 'The platform sent something that could not be handled; a new connection is made.',
    userAction: null,
  },
  /** A fault of the server or of the session. It is retried, as in whatsmeow: a fault of the server can last long. */
  bad_session: {
    next: 'backoff',
    message: 'The platform refused this session several times in a row; it is retried.',
    userAction:
      'Wait, because the platform may have a fault. If this lasts for hours, log out the instance and link it again.',
  },
  qr_exhausted: {
    next: 'stopped',
    message: 'QR code limit reached without a scan.',
    userAction: 'Connect again and scan the QR code.',
  },
  passkey_expired: {
    next: 'connecting',
    message: 'Linking with a passkey took too long; new QR codes follow.',
    userAction: 'Scan the new QR code and answer the passkey request within five minutes.',
  },
  passkey_failed: {
    next: 'connecting',
    message: 'Linking with a passkey failed; new QR codes follow.',
    userAction: 'Scan the new QR code to try again.',
  },
  passkey_interrupted: {
    next: 'stopped',
    message: 'The platform asked for a new connection before linking with a passkey was confirmed.',
    userAction: 'Connect again and scan the QR code.',
  },
  logged_out: {
    next: 'logged_out',
    message: 'The platform ended the link of this device: it was removed on the phone, or the account was locked.',
    userAction: 'Connect again and scan the QR code.',
  },
  logout_requested: {
    next: 'logged_out',
    message: 'The instance was logged out on request.',
    userAction: 'Connect again and scan the QR code.',
  },
  replaced: {
    next: 'blocked',
    message: 'Another connection took over this link.',
    userAction: 'Stop the other program that uses this session, then restart the instance.',
  },
  /** Like `replaced`, but the instance takes the link back. */
  displaced: {
    next: 'backoff',
    message: 'Another connection took over this link; it is taken back.',
    userAction: null,
  },
  conflict: {
    next: 'blocked',
    message: 'Another program takes over this link again and again.',
    userAction: 'Stop the other program that uses this session, then restart the instance.',
  },
  banned: {
    next: 'blocked',
    message: 'The platform banned the account for some time.',
    userAction: 'Wait until the ban shown on the phone ends, then restart the instance.',
  },
  outdated: {
    next: 'blocked',
    message: 'The platform refused this client as outdated.',
    userAction: 'Upgrade the gateway or set a newer platform version, then restart the instance.',
  },
  incompatible: {
    next: 'blocked',
    message: 'The account does not support linked devices the way this client needs them.',
    userAction: 'Update the app on the phone, then restart the instance.',
  },
  unreadable: {
    next: 'blocked',
    message: 'The stored credentials of this instance cannot be read.',
    userAction:
      'Check the encryption key and the database. If they are lost, log out (deletes the credentials) and link again.',
  },
} as const satisfies Record<string, CauseInfo>;

export type DisconnectCause = keyof typeof CAUSES;

/** The texts of a disconnect cause and the state that follows. */
export function infoOf(cause: DisconnectCause): CauseInfo {
  return CAUSES[cause];
}

const CAUSE_BY_CODE: Record<number, DisconnectCause> = {
  401: 'logged_out',
  402: 'banned',
  403: 'logged_out',
  405: 'outdated',
  406: 'logged_out',
  408: 'transient',
  409: 'outdated',
  411: 'incompatible',
  419: 'logged_out',
  428: 'transient',
  440: 'replaced',
  500: 'transient',
  502: 'malformed',
  503: 'transient',
  515: 'restart_required',
};

/** From this number of closes in a row with the code 500 or 515, causeOf() returns another cause for the code. */
const SAME_CLOSE_LIMIT = 5;

/** The state of linking with a passkey that is not confirmed (`Connection.passkeyLinkState`). */
export type PasskeyLinkState = 'pending' | 'expired' | 'failed';

export interface CloseContext {
  /** Whether credentials of a linked account exist. */
  isPaired: boolean;
  /** Whether this connection displayed a QR code. */
  hasShownQr: boolean;
  /** Whether another QR code may be displayed before the limit. */
  hasQrLeft: boolean;
  /** Undefined when no linking with a passkey began, and when the linking is confirmed. */
  passkeyLinkState?: PasskeyLinkState | undefined;
  /** Number of closes in a row with this code, this one included, without an open connection in between. */
  closesInARow: number;
  /** Number of recent takeovers (closes because another connection took over the link), this close included. */
  takeovers: number;
  /**
   * The instance reconnects after up to this many recent takeovers, and is blocked after more (D-146). 0: it is blocked
   * after the first. The number is greater than 0 when several nodes share the database: a node that has not noticed
   * the loss of its lease (its right to run the instance) can cause one takeover, but not several.
   */
  maxTakeovers: number;
}

/** Whether CAUSE_BY_CODE contains the code. The caller logs other codes as a warning. */
export function isKnownCode(code: number): boolean {
  return code in CAUSE_BY_CODE;
}

/**
 * Returns the disconnect cause for a close with `code`.
 * - 408 has several meanings in Baileys. With a linked account, it means that keep-alives were unanswered for 60 s.
 *   Without a linked account, it means that all QR codes of this connection expired or, if the connection displayed
 *   none, that the connection was refused.
 * - When linking with a passkey failed or expired, new QR codes follow, up to the limit. While linking with a passkey
 *   is pending, 515 does not reconnect, because the keys of the new device are lost with the connection.
 * - 500 means that the server has a fault or that the session is damaged. The instance reconnects in both cases. From
 *   the SAME_CLOSE_LIMIT-th close in a row, the cause is `bad_session`, whose texts name both cases.
 * - 515 reconnects without a delay. From the SAME_CLOSE_LIMIT-th close in a row, it counts as an ordinary loss, which
 *   has a delay.
 */
export function causeOf(code: number, context: CloseContext): DisconnectCause {
  const isRepeated = context.closesInARow >= SAME_CLOSE_LIMIT;
  if (context.passkeyLinkState === 'pending' && code === CLOSE_CODE.restartRequired) return 'passkey_interrupted';
  if (context.passkeyLinkState === 'expired') return context.hasQrLeft ? 'passkey_expired' : 'qr_exhausted';
  if (context.passkeyLinkState === 'failed') return context.hasQrLeft ? 'passkey_failed' : 'qr_exhausted';
  if (code === CLOSE_CODE.timedOut && context.isPaired) return 'silent';
  if (code === CLOSE_CODE.timedOut && context.hasShownQr) return context.hasQrLeft ? 'qr_expired' : 'qr_exhausted';
  if (code === CLOSE_CODE.connectionReplaced && context.maxTakeovers > 0)
    return context.takeovers > context.maxTakeovers ? 'conflict' : 'displaced';
  if (code === CLOSE_CODE.badSession && isRepeated) return 'bad_session';
  if (code === CLOSE_CODE.restartRequired && isRepeated) return 'transient';
  return CAUSE_BY_CODE[code] ?? 'transient';
}
