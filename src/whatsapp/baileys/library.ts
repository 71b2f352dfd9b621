// Exports what the package entry of Baileys exports, except its analytics events (lib/WAM). The gateway does not send
// analytics events, and their tables need 3 MiB and 5 ms at each start. Decision D-184. Other files import these names
// from here, or from the file of Baileys that contains them, and never from the package entry.
import makeWASocket from '@whiskeysockets/baileys/lib/Socket/index.js';

export * from '@whiskeysockets/baileys/lib/Defaults/index.js';
export * from '@whiskeysockets/baileys/lib/Types/index.js';
export * from '@whiskeysockets/baileys/lib/Utils/index.js';
export * from '@whiskeysockets/baileys/lib/WABinary/index.js';
export * from '@whiskeysockets/baileys/lib/WAUSync/index.js';
export * from '@whiskeysockets/baileys/WAProto/index.js';
export type WASocket = ReturnType<typeof makeWASocket>;
export default makeWASocket;
