// Creates unpatched Baileys sockets. Use createPatchedSocket() of patches/install.ts instead of createSocket().
import makeWASocket, { DEFAULT_CONNECTION_CONFIG, type UserFacingSocketConfig } from './library.ts';
import type { Socket } from './types.ts';

/** Creates a socket, which opens a WebSocket to the server and starts the handshake. */
export const createSocket = (config: UserFacingSocketConfig): Socket => makeWASocket(config);

/** Creates the Signal repository (encryption and decryption) of a socket. */
export const createSignalRepository = DEFAULT_CONNECTION_CONFIG.makeSignalRepository;
