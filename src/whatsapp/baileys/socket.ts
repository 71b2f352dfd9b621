// Creates a Baileys socket. patches/install.ts changes its behavior.
import makeWASocket, { DEFAULT_CONNECTION_CONFIG, type UserFacingSocketConfig } from '@whiskeysockets/baileys';
import type { Socket } from './types.ts';

/** Opens a WebSocket to the server and starts the handshake. */
export const createSocket = (config: UserFacingSocketConfig): Socket => makeWASocket(config);

/** Creates the Signal repository (encryption and decryption) of a socket. */
export const createSignalRepository = DEFAULT_CONNECTION_CONFIG.makeSignalRepository;
