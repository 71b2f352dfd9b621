// Exports Baileys' constants and functions for media: default host, upload, key derivation and upload path by kind of
// media.

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
