// Creates the Fastify app with its options, plugins and routes.
import Fastify, {
  type FastifyInstance,
  type FastifyPluginOptions,
  type FastifyRequest,
  LogController,
  type RouteOptions,
} from 'fastify';
import type { AppDeps, RouteDeps } from '../http/deps.ts';
import { drainAcceptQueue } from '../http/plugins/accept-queue.ts';
import { registerAudit } from '../http/plugins/audit.ts';
import { registerAuth } from '../http/plugins/auth.ts';
import { registerBody } from '../http/plugins/body.ts';
import { registerClientAddress } from '../http/plugins/client-address.ts';
import { limitConnections } from '../http/plugins/connection-limit.ts';
import { registerCors } from '../http/plugins/cors.ts';
import { docsRoutes } from '../http/plugins/docs.ts';
import { handleError, registerErrorReports, respondToUnreadable } from '../http/plugins/error-handler.ts';
import { registerIdempotency } from '../http/plugins/idempotency.ts';
import { registerInstance } from '../http/plugins/instance.ts';
import { managerRoutes } from '../http/plugins/manager.ts';
import { openapiRoutes } from '../http/plugins/openapi.ts';
import { registerPeerForwarding } from '../http/plugins/peer-forwarding.ts';
import { registerPeerHeaders, requestIdOf } from '../http/plugins/peer-headers.ts';
import { limitPendingResponses } from '../http/plugins/pending-responses.ts';
import { registerLoadShedding, registerSecurityHeaders, serverLimits } from '../http/plugins/protection.ts';
import { registerProxyWarning } from '../http/plugins/proxy-warning.ts';
import { LazyChildLogger } from '../http/plugins/request-log.ts';
import { registerRequestMetrics } from '../http/plugins/request-metrics.ts';
import { registerSchemaCompilers } from '../http/plugins/schema-compilers.ts';
import { registerSendLimit } from '../http/plugins/send-limit.ts';
import { readCertificate, renewCertificate, sendInPieces } from '../http/plugins/tls.ts';
import { registerUnreadBody } from '../http/plugins/unread-body.ts';
import { callRoutes } from '../http/routes/call.ts';
import { channelRoutes } from '../http/routes/channel.ts';
import { chatRoutes } from '../http/routes/chat.ts';
import { clusterRoutes } from '../http/routes/cluster.ts';
import { contactRoutes } from '../http/routes/contact.ts';
import { eventTransportRoutes } from '../http/routes/event-transports.ts';
import { eventRoutes } from '../http/routes/events.ts';
import { groupRoutes } from '../http/routes/group.ts';
import { healthRoutes } from '../http/routes/health.ts';
import { instanceRoutes } from '../http/routes/instance.ts';
import { instanceTransferRoutes } from '../http/routes/instance-transfer.ts';
import { keyRoutes } from '../http/routes/key.ts';
import { labelRoutes } from '../http/routes/label.ts';
import { mediaRoutes } from '../http/routes/media.ts';
import { messageRoutes } from '../http/routes/message.ts';
import { observabilityRoutes } from '../http/routes/observability.ts';
import { passkeyRoutes } from '../http/routes/passkey.ts';
import { peerRoutes } from '../http/routes/peer.ts';
import { profileRoutes } from '../http/routes/profile.ts';
import { proxyRoutes } from '../http/routes/proxy.ts';
import { rootRoutes } from '../http/routes/root.ts';
import { settingsRoutes } from '../http/routes/settings.ts';
import { isSocketUpgrade, socketRoutes } from '../http/routes/socket.ts';
import { globalWebhookRoutes, webhookRoutes } from '../http/routes/webhook.ts';
import { webhookDeliveryRoutes } from '../http/routes/webhook-deliveries.ts';
import { ErrorBody } from '../http/schemas/common.ts';
import type { RoutePlugin, SchemaTypeProvider } from '../http/type-provider.ts';
import { systemClock } from '../lib/clock.ts';
import { createTokenBucket } from '../lib/token-bucket.ts';

export type { AppDeps } from '../http/deps.ts';

/**
 * Longer than the idle timeout of common load balancers (60 s), so that the load balancer closes an idle connection
 * before this server does.
 */
const KEEP_ALIVE_TIMEOUT_MS = 72_000;
/** Maximum number of characters of a path parameter. The longest instance name has 100 characters. */
const MAX_PATH_PARAMETER_LENGTH = 500;
const MINUTE_MS = 60_000;
const DISPLAY_NAME = Symbol.for('fastify.display-name');

/** The plugins with the routes of the API. */
const ROUTES: readonly RoutePlugin<RouteDeps>[] = [
  rootRoutes,
  healthRoutes,
  observabilityRoutes,
  clusterRoutes,
  openapiRoutes,
  instanceRoutes,
  instanceTransferRoutes,
  passkeyRoutes,
  messageRoutes,
  chatRoutes,
  contactRoutes,
  profileRoutes,
  groupRoutes,
  channelRoutes,
  labelRoutes,
  settingsRoutes,
  proxyRoutes,
  callRoutes,
  eventTransportRoutes,
  mediaRoutes,
  webhookRoutes,
  webhookDeliveryRoutes,
  globalWebhookRoutes,
  keyRoutes,
  eventRoutes,
  peerRoutes,
  socketRoutes,
];

function createFastify({ config, log, peers }: AppDeps): FastifyInstance {
  const limits = serverLimits(config);
  const httpOptions = {
    ...limits.http,
    ...(config.websocketEnabled ? { shouldUpgradeCallback: isSocketUpgrade } : {}),
  };
  const certificate = readCertificate(config);
  const options = {
    loggerInstance: log,
    // request-log.ts logs requests, without secrets.
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    childLoggerFactory: (_: unknown, bindings: Record<string, unknown>) => new LazyChildLogger(log, bindings),
    genReqId: (raw: FastifyRequest['raw']) => requestIdOf(peers, raw),
    bodyLimit: config.bodyLimit,
    requestTimeout: limits.requestTimeout,
    clientErrorHandler: respondToUnreadable,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    trustProxy: config.trustProxy.length > 0 ? [...config.trustProxy] : false,
    // During a shutdown, a hook of plugins/protection.ts replies to requests with the error SHUTTING_DOWN.
    return503OnClosing: false,
    exposeHeadRoutes: false,
    // Paths ignore case, doubled slashes and one trailing slash (D-003).
    routerOptions: {
      caseSensitive: false,
      ignoreTrailingSlash: true,
      ignoreDuplicateSlashes: true,
      maxParamLength: MAX_PATH_PARAMETER_LENGTH,
    },
    frameworkErrors: handleError,
  };
  const app = certificate
    ? Fastify({ ...options, https: { ...httpOptions, ...certificate, handshakeTimeout: limits.http.headersTimeout } })
    : Fastify({ ...options, http: httpOptions });
  return app.withTypeProvider<SchemaTypeProvider>();
}

/**
 * Removes the schemas of error responses from a route. No code uses them, because error-handler.ts serializes errors,
 * and compiling them would take time.
 */
function removeErrorSchemas(route: RouteOptions): void {
  const responses = Object.entries(route.schema?.response ?? {}).filter(([, schema]) => schema !== ErrorBody);
  if (route.schema) route.schema = { ...route.schema, response: Object.fromEntries(responses) };
}

/**
 * Registers a plugin under the name of its function. Without the property DISPLAY_NAME, Fastify compares the plugin
 * with all loaded CommonJS modules to find a name, which takes 0.2 ms.
 */
async function register<Options extends FastifyPluginOptions>(
  app: FastifyInstance,
  plugin: (app: FastifyInstance, options: Options) => Promise<void>,
  options: Options,
): Promise<void> {
  await app.register(Object.assign(plugin, { [DISPLAY_NAME]: plugin.name }), options);
}

/**
 * Creates the app, which does not listen yet. All hooks are registered before the first route, because Fastify applies
 * to a route only the hooks that exist when the route is added.
 */
export async function createHttpApp(deps: AppDeps): Promise<FastifyInstance> {
  const app = createFastify(deps);
  limitConnections(app, deps.config);
  drainAcceptQueue(app);
  limitPendingResponses(app);
  registerClientAddress(app);
  renewCertificate(app, deps.config);
  app.setErrorHandler(handleError);
  registerErrorReports(app, deps.reportFailure);
  registerSchemaCompilers(app);
  app.addHook('onRoute', removeErrorSchemas);
  await registerSecurityHeaders(app, deps.network);
  registerCors(app, deps.config);
  if (deps.cluster && deps.peers) {
    registerPeerHeaders(app, deps.peers, deps.metrics);
    registerPeerForwarding(app, { ...deps, cluster: deps.cluster, peers: deps.peers });
  }
  registerProxyWarning(app, deps.config);
  registerAuth(app, deps);
  registerAudit(app, deps);
  registerLoadShedding(app, deps.config);
  registerInstance(app, deps);
  registerSendLimit(app, deps.config);
  await registerBody(app, deps);
  registerRequestMetrics(app, deps);
  registerIdempotency(app, deps);
  registerUnreadBody(app);
  sendInPieces(app);

  await register(app, docsRoutes, deps.config);
  await register(app, managerRoutes, deps.config);
  // Limits the lookups of people and groups that each instance makes per minute.
  const lookupLimit = { limit: deps.config.numberCheckLimit, window: MINUTE_MS, clock: systemClock };
  const routeDeps = { ...deps, lookupBucket: createTokenBucket(lookupLimit) };
  for (const routes of ROUTES) await register(app, routes, routeDeps);
  return app;
}
