// Settings of the HTTP server: address, TLS, browsers, pages.
import { choice, type DeclaredSettings, flag, integer, text } from './declare.ts';

export const SERVER = {
  HOST: text('0.0.0.0', {
    help: 'Address to listen on. `npm run sandbox` listens on `127.0.0.1` by default.',
    whenToChange: 'Set `127.0.0.1` when only programs on the same machine call the gateway.',
  }),
  PORT: integer(8080, {
    help: 'Port to listen on. 0 picks a free port.',
    unit: 'port number',
    maximum: 65_535,
    whenToChange: 'Change it when another program uses the port.',
  }),
  SERVER_URL: text('', {
    help: 'Public base URL in records and webhooks. Empty: records use the host of the request, webhooks use `HOST` and `PORT`.',
    whenToChange: 'Set it behind a reverse proxy.',
  }),
  TRUST_PROXY: text('', {
    help: 'Reverse proxies whose `X-Forwarded-*` headers are trusted: IP addresses or CIDRs, comma separated. Empty: none, so all clients behind a proxy share its address.',
    whenToChange: 'Set it behind a reverse proxy, so that limits and logs use the address of the client.',
  }),
  SERVER_TYPE: choice('http', ['http', 'https'], {
    help: 'Protocol of the server. `https` needs `SSL_CONF_PRIVKEY` and `SSL_CONF_FULLCHAIN`.',
    whenToChange: 'Set `https` when no reverse proxy ends TLS.',
  }),
  SSL_CONF_PRIVKEY: text('', {
    help: 'File with the private key of the TLS certificate, in PEM.',
    whenToChange: 'Set it with `SERVER_TYPE=https`.',
  }),
  SSL_CONF_FULLCHAIN: text('', {
    help: 'File with the TLS certificate and its chain, in PEM. Changed files are loaded within an hour.',
    whenToChange: 'Set it with `SERVER_TYPE=https`.',
  }),
  CORS_ORIGIN: text('*', {
    help: 'Origins whose web pages may call the gateway, comma separated, such as `https://app.example`. `*`: any origin. `none`: no web page.',
    whenToChange: 'List your web pages when browsers call the gateway directly; set `none` when no browser does.',
  }),
  CORS_METHODS: text('GET,POST,PUT,PATCH,DELETE', {
    help: 'HTTP methods that these web pages may use, comma separated.',
    whenToChange: 'Shorten it to `GET` for web pages that only read.',
  }),
  CORS_CREDENTIALS: flag(false, {
    help: 'Allow browsers to send credentials. Ignored while `CORS_ORIGIN` is `*`.',
    whenToChange: 'Set it when a reverse proxy in front of the gateway checks cookies.',
  }),
  CLIENT_NAME: text('', {
    help: 'Name of this gateway in `GET /` and in instance records. Empty: `CONFIG_SESSION_PHONE_CLIENT`.',
    whenToChange: 'Set it when clients talk to several gateways.',
  }),
  RESPONSE_DIALECT: choice('auto', ['auto', 'v1', 'v2'], {
    help: 'Form of responses. `v1`: wrapped, as in Evolution API 1. `v2`: flat, as in Evolution API 2. `auto`: the form of the request.',
    whenToChange: 'Set it when a client expects one form and sends the other.',
  }),
  SERVER_DISABLE_DOCS: flag(false, {
    help: 'Do not serve the API documentation at `/docs`.',
    whenToChange: 'Set it when the gateway is reachable from the internet and no caller needs the page.',
  }),
  SERVER_DISABLE_MANAGER: flag(false, {
    help: 'Do not serve the manager page at `/manager`.',
    whenToChange: 'Set it when all instances are managed by programs.',
  }),
} satisfies DeclaredSettings;
