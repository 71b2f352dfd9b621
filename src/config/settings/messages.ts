// Settings of sending: times, limits, repetitions and files.
import { choice, type DeclaredSettings, flag, integer, text } from './declare.ts';

export const MESSAGES = {
  SEND_TIMEOUT: integer(30_000, {
    help: 'Maximum time of a send, without its delay, the upload of its file and the wait for earlier sends to its chat. Then it gets 504 `SEND_TIMEOUT`.',
    unit: 'ms',
    minimum: 1,
    // Some timers run for a multiple of this time, and a timer can run for at most MAX_INTEGER ms (declare.ts).
    maximum: 86_400_000,
    whenToChange: 'Raise it when sends to large groups end with this error; keep it below the timeout of your clients.',
  }),
  QUERY_TIMEOUT: integer(20_000, {
    help: 'Time that WhatsApp may take to answer a query. Then the request gets 504 `PLATFORM_TIMEOUT`.',
    unit: 'ms',
    minimum: 1,
    whenToChange: 'Raise it on slow connections or proxies.',
  }),
  MAX_DELAY: integer(60_000, {
    help: 'Maximum `delay` that a send may request. A longer one gets 400.',
    unit: 'ms',
    minimum: 1,
    whenToChange: 'Raise it when clients space out their messages by `delay`.',
  }),
  DEDUPE_WINDOW: integer(0, {
    help: 'Time in which an identical send without `Idempotency-Key` is treated as a repetition. 0: never.',
    unit: 'ms',
    maximum: 86_400_000,
    whenToChange:
      'Set it when clients repeat sends and cannot set the header; see [idempotency](../guides/idempotency.md).',
  }),
  NUMBER_CHECK_LIMIT: integer(200, {
    help: 'Numbers per instance that clients may look up at WhatsApp, such as with `POST /chat/whatsappNumbers/{instance}`. 0: no limit.',
    unit: 'per minute',
    whenToChange: 'Lower it for new accounts. Higher values risk a ban.',
  }),
  RESTRICTION_GUARD: flag(true, {
    help: 'Refuse messages to new chats while WhatsApp restricts the account.',
    whenToChange: 'Set false to try such messages in any case.',
  }),
  PLATFORM_ADDRESSING: choice('lid', ['lid', 'pn'], {
    help: 'Address that direct messages are sent to. `lid`: the opaque id, if known. `pn`: the phone number, which WhatsApp can refuse with 463. A refused message is sent once more to the other address.',
    whenToChange: 'Set `pn` when messages to LIDs do not arrive.',
  }),
  MEDIA_LIMIT: integer(16 * 1024 * 1024, {
    help: 'Maximum size of a file in a send. A larger one gets 413 when it is uploaded in a form, and 400 when it is given as a URL or base64.',
    unit: 'bytes',
    minimum: 1024,
    whenToChange: 'Raise it for large videos and documents, with `BODY_LIMIT` for base64.',
  }),
  MEDIA_TIMEOUT: integer(30_000, {
    help: 'Time that the server of a media URL may take to respond.',
    unit: 'ms',
    minimum: 1,
    whenToChange: 'Raise it for slow file servers.',
  }),
  FFMPEG_PATH: text('', {
    help: 'Path of ffmpeg, which converts audio to voice notes. Empty: ffmpeg from `PATH`, if there is one. `none`: no ffmpeg, only MP3, WAV and Ogg/Opus.',
    whenToChange: 'Set it when ffmpeg is not in `PATH`.',
  }),
  DOWNLOAD_LIMIT: integer(128 * 1024 * 1024, {
    help: 'Maximum size of a message file that can be downloaded. A larger one gets 413.',
    unit: 'bytes',
    minimum: 1024,
    whenToChange:
      'Raise it for larger documents. Temporary files can take eight times this size, because eight downloads run at a time.',
  }),
  DOWNLOAD_TIMEOUT: integer(120_000, {
    help: 'Time that WhatsApp may take to deliver such a file.',
    unit: 'ms',
    minimum: 1,
    whenToChange: 'Raise it with `DOWNLOAD_LIMIT`, or on slow connections.',
  }),
  MEDIA_LINK_DAYS: integer(7, {
    help: 'Time for which the links to message files in events are valid.',
    unit: 'days',
    minimum: 1,
    maximum: 3650,
    whenToChange: 'Raise it when receivers store links and open them later; lower it when links can leak.',
  }),
} satisfies DeclaredSettings;
