// Why a connection ended, in words, and what follows from it. The only place that knows the platform's close codes.
// Codes: Baileys DisconnectReason and what whatsmeow makes of the same numbers; a plain table test pins every row.

/** What follows: reconnect now, later, or not until somebody asks. */
export type DisconnectOutcome = 'connecting' | 'backoff' | 'stopped' | 'logged_out' | 'blocked';

interface Row {
  next: DisconnectOutcome;
  message: string;
  /** What a person has to do; null when nothing. */
  userAction: string | null;
}

const rows = {
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
  qr_exhausted: {
    next: 'stopped',
    message: 'QR code limit reached without a scan.',
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
  bad_session: {
    next: 'blocked',
    message: 'The platform refused this session several times in a row.',
    userAction: 'Restart the instance; if it stays so, log out and link it again.',
  },
  unreadable: {
    next: 'blocked',
    message: 'The stored credentials of this instance cannot be read.',
    userAction: 'Check the encryption key and the database; logging out discards the credentials.',
  },
} as const satisfies Record<string, Row>;

export type DisconnectReason = keyof typeof rows;

/** The words and the consequence of a cause. */
export function infoOf(cause: DisconnectReason): Row {
  return rows[cause];
}

const byCode: Record<number, DisconnectReason> = {
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

/** Closes in a row of one kind that are believed before they count as something worse. */
export const SAME_CLOSE_LIMIT = 5;

export interface CloseContext {
  /** Credentials of a linked account exist. */
  paired: boolean;
  /** This connection displayed a QR code. */
  qrShown: boolean;
  /** More QR codes may be displayed before the limit. */
  qrLeft: boolean;
  /** How many closes with this same code came in a row, this one included, without an open connection between them. */
  inARow: number;
  /** How often another connection took over lately, this one included. */
  taken: number;
  /**
   * How often that is taken back. More than 0 where many processes share a database: then it may have been one of them that was not yet aware
   * of having lost the instance, which does not happen twice.
   */
  reclaims: number;
}

/** Whether the table names the code; a close with any other code deserves a warning. */
export function isKnownCode(code: number): boolean {
  return code in byCode;
}

/**
 * Cause of a close with the platform's `code`.
 * 408 is overloaded: Baileys uses it for exhausted QR codes, lost keep-alives and refused connections, so only a close of an unpaired
 * connection that displayed a QR code is about QR codes; of a linked one it means that two rounds of keep-alives (60 s) were unanswered. 500 is overloaded as well: it is a server fault until it repeats.
 * Endless 515 would be a loop without delay, so a repeated one is treated as an ordinary loss.
 */
export function reasonOf(code: number, context: CloseContext): DisconnectReason {
  if (code === 408 && !context.paired && context.qrShown) return context.qrLeft ? 'qr_expired' : 'qr_exhausted';
  if (code === 408 && context.paired) return 'silent';
  if (code === 440 && context.reclaims > 0) return context.taken > context.reclaims ? 'conflict' : 'displaced';
  if (code === 500 && context.inARow >= SAME_CLOSE_LIMIT) return 'bad_session';
  if (code === 515 && context.inARow >= SAME_CLOSE_LIMIT) return 'transient';
  return byCode[code] ?? 'transient';
}
