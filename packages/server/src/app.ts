import { existsSync } from 'node:fs'
import path from 'node:path'
import compress from '@fastify/compress'
import helmet from '@fastify/helmet'
import multipart from '@fastify/multipart'
import rateLimit from '@fastify/rate-limit'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import Fastify, { LogController } from 'fastify'
import { refuse } from '@caretaker/contract/refusal.ts'
import { isPagePath } from '@caretaker/rules/links/addresses.ts'
import { openReadLog } from './audit/reads.ts'
import { openFeed } from './changes/feed.ts'
import type { Config } from './config.ts'
import type { Context } from './context.ts'
import { apiKeyRoutes } from './features/api-keys/routes.ts'
import { alertRoutes } from './features/alerts/routes.ts'
import { actionRoutes } from './features/actions/routes.ts'
import { auditRoutes } from './features/audit/routes.ts'
import { buildingRoutes } from './features/buildings/routes.ts'
import { connectionRoutes } from './features/connections/routes.ts'
import { changeRoutes } from './features/changes/routes.ts'
import { commandRoutes } from './features/commands/routes.ts'
import { complianceFiguresRoutes } from './features/compliance-figures/routes.ts'
import { complianceRoutes } from './features/compliance/routes.ts'
import { importRoutes } from './features/imports/routes.ts'
import { readRoutes } from './features/reads/routes.ts'
import { reportRoutes } from './features/reports/routes.ts'
import { dashboardRoutes } from './features/dashboard/routes.ts'
import { deviceList } from './features/devices/list.ts'
import { accountRoutes } from './features/account/routes.ts'
import { boilerRoutes } from './features/boilers/routes.ts'
import { deviceKeyRoutes } from './features/device-keys/routes.ts'
import { deviceRoutes } from './features/devices/routes.ts'
import { documentRoutes } from './features/documents/routes.ts'
import { faultRoutes } from './features/faults/routes.ts'
import { groupAccessRoutes } from './features/group-access/routes.ts'
import { groupRoutes } from './features/groups/routes.ts'
import { handoverRoutes } from './features/links/routes.ts'
import { inspectionRoutes } from './features/inspection/routes.ts'
import { lightsBefore } from './features/lighting/engine-lights.ts'
import { lightingRoutes } from './features/lighting/routes.ts'
import { logRoutes } from './features/logs/routes.ts'
import { mapRoutes } from './features/maps/routes.ts'
import { maintenanceRoutes } from './features/maintenance/routes.ts'
import { messageRoutes } from './features/messages/routes.ts'
import { mailboxRoutes } from './features/mailbox/routes.ts'
import { productRoutes } from './features/products/routes.ts'
import { provisioningRoutes } from './features/provisioning/routes.ts'
import { isScimAddress, refuseAddress, scimRoutes } from './features/provisioning/scim.ts'
import { propertyList } from './features/properties/list.ts'
import { residentRoutes } from './features/residents/routes.ts'
import { scheduleRoutes } from './features/schedules/routes.ts'
import { caseRecordRoutes } from './features/case-records/routes.ts'
import { propertyRoutes } from './features/properties/routes.ts'
import { searchRoutes } from './features/search/routes.ts'
import { sessionRoutes } from './features/session/routes.ts'
import { directoryMembers } from './features/single-sign-on/members.ts'
import { ssoConnectionRoutes } from './features/single-sign-on/routes.ts'
import { systemRoutes } from './features/system/routes.ts'
import { tagRoutes } from './features/tags/routes.ts'
import { telemetryRoutes } from './features/telemetry/routes.ts'
import { tenantRoutes } from './features/tenants/routes.ts'
import { userRoutes } from './features/people/routes.ts'
import { webhookRoutes } from './features/webhooks/routes.ts'
import { viewRoutes } from './features/views/routes.ts'
import type { TokenCheck } from './http/access.ts'
import type { IdentityRoutes } from './idp/routes.ts'
import { documentation } from './documentation/routes.ts'
import { addressing, observeAddresses } from './http/addresses.ts'
import type { FindAddress } from './http/addresses.ts'
import { callLimit } from './http/call-limit.ts'
import { parseJson, render, renderErrors, renderFrameworkError } from './http/errors.ts'
import { health, metrics, observeCalls } from './http/health.ts'
import { serveMapFile } from './http/map-file.ts'
import { packing } from './http/packing.ts'
import { spoolFolderOf } from './http/spooled-file.ts'
import { traceCalls } from './tracing/calls.ts'
import { webFolder } from './http/web-folder.ts'

export interface Parts {
  tokens: TokenCheck
  /** The routes of the embedded identity provider, if it is used. */
  identity?: IdentityRoutes | undefined
}

const loopback = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * The proxies whose X-Forwarded-For is trusted, starting from the nearest: a number of proxies, or their addresses.
 * Entries that the caller wrote are further away.
 */
function trusted({ trustedProxies }: Config) {
  if (typeof trustedProxies !== 'number') return trustedProxies ?? false
  return (_address: string, hop: number) => hop < trustedProxies
}

/** Builds the HTTP side of the product, for the server and for tests. */
export async function buildApp(context: Context, { tokens, identity }: Parts): Promise<FastifyInstance> {
  const { config } = context
  const app = Fastify({
    loggerInstance: context.log,
    // `health` writes one line per request, without addresses, tokens or bodies.
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: trusted(config),
    bodyLimit: 262_144,
    requestTimeout: 60_000,
    connectionTimeout: 90_000,
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle',
    routerOptions: addressing,
    frameworkErrors: renderFrameworkError,
  })
  const reads = openReadLog(context)
  app.decorate('services', { context, tokens, spoolFolder: spoolFolderOf(app), reads })
  // All calls in progress have ended by then.
  app.addHook('onClose', reads.stop)
  app.decorate('feed', openFeed())
  // Every body is parsed by the contract; Fastify's own validator is not used.
  app.setValidatorCompiler(() => () => true)

  renderErrors(app)
  parseJson(app)
  const findAddress = observeAddresses(app)
  observeCalls(app, context)
  if (config.openTelemetry) traceCalls(app)
  health(app, context)
  metrics(app, context, { open: false })
  await app.register(helmet, securityHeaders(config))
  await app.register(rateLimit, { global: true, ...callLimit(app, context) })
  await app.register(compress, { global: true, encodings: ['gzip', 'deflate'], threshold: 1024, zlibOptions: packing })
  await app.register(multipart, { limits: { files: 1, fields: 50, fieldSize: 262_144, parts: 60 } })

  sessionRoutes(app)
  accountRoutes(app)
  tenantRoutes(app)
  ssoConnectionRoutes(app)
  deviceRoutes(app)
  deviceKeyRoutes(app)
  boilerRoutes(app)
  changeRoutes(app)
  dashboardRoutes(app)
  viewRoutes(app, [deviceList, propertyList])
  searchRoutes(app)
  buildingRoutes(app)
  scheduleRoutes(app)
  propertyRoutes(app)
  caseRecordRoutes(app)
  residentRoutes(app)
  documentRoutes(app)
  mapRoutes(app)
  handoverRoutes(app)
  lightingRoutes(app)
  groupRoutes(app, lightsBefore)
  inspectionRoutes(app)
  commandRoutes(app)
  faultRoutes(app)
  logRoutes(app)
  complianceRoutes(app)
  complianceFiguresRoutes(app)
  reportRoutes(app)
  importRoutes(app)
  telemetryRoutes(app)
  auditRoutes(app)
  readRoutes(app)
  tagRoutes(app)
  alertRoutes(app)
  actionRoutes(app)
  productRoutes(app)
  maintenanceRoutes(app)
  messageRoutes(app)
  mailboxRoutes(app)
  systemRoutes(app)
  userRoutes(app)
  groupAccessRoutes(app)
  provisioningRoutes(app)
  await scimRoutes(app)
  apiKeyRoutes(app)
  webhookRoutes(app)
  connectionRoutes(app)
  documentation(app)
  if (identity) await app.register((scope) => identity(scope, directoryMembers))
  if (config.map.pmtiles) await serveMapFile(app, config.map.pmtiles)
  await website(app, findAddress)
  return app
}

/** Serves the web files; every address that is neither a file nor a call returns the app's page. */
async function website(app: FastifyInstance, findAddress: FindAddress): Promise<void> {
  const built = existsSync(path.join(webFolder, 'index.html'))
  if (built)
    await app.register(fastifyStatic, {
      root: webFolder,
      index: false,
      // Compressed scripts and styles are stored next to the originals.
      preCompressed: true,
      // A folder is an address of the app like any other; as a file request it would be rejected.
      allowedPath: (pathname) => !pathname.endsWith('/'),
      setHeaders: (response, file) => {
        const immutable = file.includes(`${path.sep}assets${path.sep}`)
        response.header('cache-control', immutable ? 'public, max-age=31536000, immutable' : 'no-cache')
      },
    })
  const home = new URL(app.services.context.config.origin)
  // Nothing is returned: awaiting a reply adds two listeners to it, and a file's reply already has nearly as many as
  // Node allows.
  app.setNotFoundHandler({ preHandler: app.rateLimit() }, (request, reply) => {
    const { method, url } = request
    if (isScimAddress(url)) return refuseAddress(reply)
    const isPage = built && isPagePath(url)
    const { methods, route } = findAddress(url) ?? { methods: isPage ? ['GET', 'HEAD'] : [] }
    if (methods.length && !methods.includes(method)) {
      void reply.header('allow', [...methods, 'OPTIONS'].join(', '))
      if (method === 'OPTIONS') return void reply.status(204).send()
      return void render(request, reply, refuse('wrong method'), route)
    }
    const wantsPage = (method === 'GET' || method === 'HEAD') && !/^\/(api|oidc|assets)(\/|\?|$)/i.test(url)
    // Signing in works at one address only: http://127.0.0.1:8080 redirects to http://localhost:8080.
    const asked = URL.parse(`http://${request.headers.host}`)?.hostname ?? ''
    if (isPage && loopback.has(asked) && loopback.has(home.hostname) && asked !== home.hostname)
      return void reply.redirect(new URL(url, home).href)
    if (!wantsPage || !built) return void render(request, reply, refuse('not found'))
    // An unknown address shows the portal's own not-found page.
    void reply
      .status(isPage ? 200 : 404)
      .header('cache-control', 'no-cache')
      .sendFile('index.html')
  })
}

/** Only the product's own scripts, no framing, no content sniffing. */
function securityHeaders({ oidc, origin, map, resetUrl }: Config) {
  const elsewhere = (url: string) => {
    const host = new URL(url).origin
    return host === new URL(origin).origin ? [] : [host]
  }
  const external = elsewhere(oidc.issuer)
  return {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        scriptSrc: ["'self'"],
        // The component library writes style elements; no data is inserted into them.
        styleSrc: ["'self'", "'unsafe-inline'"],
        imgSrc: ["'self'", 'data:', 'blob:', ...map.hosts],
        // A certificate is displayed within the page.
        frameSrc: ["'self'", 'blob:'],
        fontSrc: ["'self'"],
        // Tiles are fetched and then drawn.
        connectSrc: ["'self'", ...external, ...map.hosts, ...(resetUrl ? elsewhere(resetUrl) : [])],
        formAction: ["'self'", ...external],
        frameAncestors: ["'none'"],
        baseUri: ["'none'"],
        objectSrc: ["'none'"],
      },
    },
    frameguard: { action: 'deny' as const },
    referrerPolicy: { policy: 'same-origin' as const },
    // Plain HTTP on a local machine must stay reachable; behind TLS the proxy or the origin uses https.
    strictTransportSecurity: origin.startsWith('https:') ? { maxAge: 31_536_000 } : false,
    crossOriginEmbedderPolicy: false,
  }
}
