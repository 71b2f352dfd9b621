// Exports Baileys' functions and constants for media: preparation and upload, hosts, and the key derivation and upload
// path of each kind of media. DEFAULT_CONNECTION_CONFIG contains settings that the upload needs.

export {
  DEFAULT_CONNECTION_CONFIG,
  DEFAULT_ORIGIN,
  MEDIA_HKDF_KEY_MAPPING,
  MEDIA_PATH_MAP,
} from '@whiskeysockets/baileys/lib/Defaults/index.js';
export {
  DEF_MEDIA_HOST as DEFAULT_MEDIA_HOST,
  getWAUploadToServer as createUploader,
  prepareWAMessageMedia as prepareMedia,
} from './library.ts';
