// Opens one socket of the library. What it does afterwards is changed by the files in patches/.
export { default as createSocket } from '@whiskeysockets/baileys';
