import { isIP } from 'node:net'
import path from 'node:path'
import { z } from 'zod'
import { email } from '@caretaker/contract/scalars.ts'
import type { Pace } from '@caretaker/rules/alerts/engine.ts'
import type { UnknownSetting } from './given-settings.ts'
import { unknownSettings, withSecretFiles } from './given-settings.ts'

/** An invalid setting or an unusable environment: shown as one line, exit code 1. */
export class SettingError extends Error {
  override name = 'SettingError'
}

const port = z.coerce.number().int().min(0).max(65535)
const onOff = z.enum(['on', 'off']).transform((value) => value === 'on')
const address = (...protocols: string[]) =>
  z.string().refine((text) => URL.canParse(text) && protocols.includes(new URL(text).protocol), {
    message: `must be an address beginning with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
  })

const isHops = (text: string) => /^[1-9]$/.test(text)

/** An address, or a network such as `10.1.0.0/16`. */
function isNetwork(text: string): boolean {
  const [address = '', prefix, ...more] = text.split('/')
  const version = isIP(address)
  if (!version || more.length) return false
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128))
}

/** Whether only this machine can reach a listener at this host. */
const isLocal = (host: string) => /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/i.test(host)

/** Whether only this machine can reach the host of an address. */
const isLocalUrl = (url: string) => isLocal(new URL(url).hostname.replace(/^\[(.*)\]$/, '$1'))

/** `mqtts://host:port`: it is given to devices, so it contains no password, and MQTT has no paths. */
function isBareBroker(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { username, password, hostname, pathname, search, hash } = new URL(text)
  return hostname !== '' && !username && !password && !pathname.replace(/^\/$/, '') && !search && !hash
}

/**
 * Tile addresses, separated by spaces; all provide the same tiles. The host must be complete, because the content
 * policy names it.
 */
const tiles = z
  .string()
  .transform((text) => text.trim().split(/\s+/))
  .refine(
    (all) =>
      all.every(
        (one) => /^https?:\/\/[^/{}]+\//i.test(one) && ['{z}', '{x}', '{y}'].every((part) => one.includes(part)),
      ),
    { message: 'must be addresses with {z}, {x} and {y}: https://tiles.example.org/{z}/{x}/{y}.png' },
  )

const postcodeServices = ['postcodes.io', 'ideal-postcodes', 'os-places'] as const
export type PostcodeServiceName = (typeof postcodeServices)[number]

/** Names and values in OpenTelemetry's format: `name=value,name=value`, with percent-encoded values. */
const otlpPairs = z
  .string()
  .refine((text) => text.split(',').every((pair) => /^\s*[^=\s]+=[^=]*$/.test(pair)), {
    message: 'must be pairs separated by commas: name=value,name=value',
  })
  .transform((text) =>
    Object.fromEntries(
      text.split(',').map((pair) => {
        const [name = '', value = ''] = pair.split('=')
        return [name.trim(), decodeURIComponent(value.trim())]
      }),
    ),
  )

const Environment = z.object({
  HOST: z.string().min(1).default('127.0.0.1'),
  PORT: port.default(8080),
  /** The listen address of the embedded broker; by default that of HTTP. */
  MQTT_HOST: z.string().min(1).optional(),
  MQTT_PORT: port.default(1883),
  /** The address at which devices reach the broker, if it differs from the one in the other settings. */
  MQTT_PUBLIC_URL: address('mqtt:', 'mqtts:')
    .refine(isBareBroker, { message: 'must be mqtt:// or mqtts://, a host, and a port where it is not the usual one' })
    .optional(),
  /** Files with certificate and key (PEM): the embedded broker then only accepts TLS. */
  MQTT_TLS_CERT: z.string().min(1).optional(),
  MQTT_TLS_KEY: z.string().min(1).optional(),
  /** Maximum connections from one address that have not signed in yet; further ones are closed. */
  MQTT_WAITING_PER_ADDRESS: z.coerce.number().int().min(1).default(200),
  /**
   * A separate port for /livez, /readyz and /metrics. 0 means none; without `api` it means a free port, printed at
   * startup.
   */
  HEALTH_PORT: port.default(0),
  /** The address for people and devices, if it is not http://localhost:PORT (behind a proxy). */
  CARETAKER_ORIGIN: address('http:', 'https:').optional(),
  CARETAKER_DATA: z.string().min(1).optional(),
  /** On by default with the embedded database, off with a DATABASE_URL. */
  CARETAKER_DEMO: onOff.optional(),
  CARETAKER_DEMO_DEVICES: z.coerce.number().int().min(200).max(1_000_000).default(2000),
  CARETAKER_LOG: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent']).default('warn'),
  /** The proxies whose X-Forwarded-For is trusted: the number of proxies in front, or their addresses and networks. */
  CARETAKER_TRUSTED_PROXIES: z
    .string()
    .transform((text) => text.split(',').map((one) => one.trim()))
    .refine((given) => (given.length === 1 && isHops(given[0]!)) || given.every(isNetwork), {
      message: 'must be a number of proxies, or their addresses: 1, or 10.0.0.5,10.1.0.0/16',
    })
    .transform((given) => (isHops(given[0]!) ? Number(given[0]) : given))
    .optional(),
  CARETAKER_BEHIND_PROXY: z
    .undefined({ error: 'is no longer a setting: name the trusted proxies with CARETAKER_TRUSTED_PROXIES' })
    .optional(),
  /** off: nothing is sent to people or other software; for an installation that tests a backup. */
  CARETAKER_OUTBOUND: onOff.default(true),
  /** The secret with which an external broker asks on HEALTH_PORT who may connect, publish and subscribe. */
  CARETAKER_BROKER_SECRET: z.string().min(16).optional(),
  /** A shell command that runs after each backup of everything, with the path of the file as `$1`. */
  CARETAKER_BACKUP_AFTER: z.string().min(1).optional(),
  CARETAKER_TRIAL_DATABASE_URL: address('postgres:', 'postgresql:').optional(),
  /** The bearer token for /metrics. */
  CARETAKER_METRICS_TOKEN: z.string().min(16).optional(),
  CARETAKER_VENDOR_DOMAIN: z.string().min(1).default('caretaker.example'),
  /** The address of the mobile app; paths of the portal are appended. */
  CARETAKER_APP_URL: address('http:', 'https:')
    .refine((text) => !/[?#]/.test(text), { message: 'must have neither query nor fragment' })
    .optional(),
  /** The address to which the portal sends boiler resets; this server by default. */
  CARETAKER_RESET_URL: address('http:', 'https:')
    .refine((text) => !text.includes('#'), { message: 'must have no fragment' })
    .optional(),
  /** Non-public networks that webhooks may reach, also over plain HTTP. */
  CARETAKER_WEBHOOK_NETWORKS: z
    .string()
    .transform((text) => text.split(',').map((one) => one.trim()))
    .refine((given) => given.every(isNetwork), { message: 'must be addresses or networks: 10.1.0.0/16,127.0.0.1' })
    .optional(),
  /** A ClamAV daemon that scans uploads. */
  CARETAKER_VIRUS_SCANNER: z
    .string()
    .regex(/^[a-zA-Z0-9.-]+:\d{1,5}$/, { message: 'must be host and port: clamd.internal:3310' })
    .optional(),
  /** The texts of the support page. */
  CARETAKER_SUPPORT_EMAIL: email().default('support@caretaker.example'),
  CARETAKER_SUPPORT_PHONE: z
    .string()
    .regex(/^[+()0-9 -]{3,30}$/, { message: 'must be a phone number' })
    .default('+44 1632 960 100'),
  CARETAKER_SUPPORT_VIDEOS: address('http:', 'https:').default('https://videos.caretaker.example/'),
  /** Calls per minute from one address before 429. */
  CARETAKER_RATE_LIMIT: z.coerce.number().int().min(1).default(3000),
  /** Memory in MB for device messages waiting to be stored; when it is full, reading pauses. */
  CARETAKER_INTAKE_MB: z.coerce.number().int().min(1).default(128),
  /** Delays of alerts in seconds (see `Pace`). */
  CARETAKER_ALERT_WAIT: z.coerce.number().int().min(0).max(86_400).default(120),
  CARETAKER_ALERT_INTERVAL: z.coerce.number().int().min(0).max(86_400).default(900),
  CARETAKER_ALERT_CLEAR: z.coerce.number().int().min(0).max(86_400).default(1800),
  /** Limits per device and hour; further messages are rejected. */
  CARETAKER_DEVICE_MESSAGES: z.coerce.number().int().min(1).default(7200),
  CARETAKER_DEVICE_MB: z.coerce.number().min(1).default(32),
  /** Events and tests. */
  CARETAKER_DEVICE_EVENTS: z.coerce.number().int().min(1).default(300),
  /** How long events, and audit entries without a portal user, are kept. */
  CARETAKER_EVENT_DAYS: z.coerce.number().int().min(31).default(1100),
  /** How long a client must be suspended before it can be removed. */
  CARETAKER_REMOVAL_DAYS: z.coerce.number().int().min(1).default(30),
  CARETAKER_TELEMETRY_DAYS: z.coerce.number().int().min(8).default(400),
  DATABASE_URL: address('postgres:', 'postgresql:').optional(),
  MQTT_URL: address('mqtt:', 'mqtts:').optional(),
  OIDC_ISSUER: address('http:', 'https:').optional(),
  OIDC_CLIENT_ID: z.string().min(1).default('caretaker-web'),
  OIDC_AUDIENCE: z.string().min(1).optional(),
  /** on: an e-mail counts as verified if the issuer does not state it. */
  OIDC_TRUST_EMAILS: onOff.default(false),
  SMTP_URL: address('smtp:', 'smtps:').optional(),
  /** An S3 bucket. */
  FILES_URL: address('http:', 'https:')
    .refine((text) => /^[^/]*\/\/[^/]+\/[^/?#]+(?:\?[^#]*)?$/.test(text), {
      message: 'must name a bucket: https://KEY:SECRET@host/bucket',
    })
    .optional(),
  /** The same bucket in parts, as other programs configure it. */
  S3_BUCKET: z
    .string()
    .regex(/^[^/?#\s]+$/, 'must be the name of a bucket')
    .optional(),
  S3_ENDPOINT: address('http:', 'https:').optional(),
  S3_REGION: z.string().min(1).optional(),
  S3_KEY: z.string().min(1).optional(),
  S3_SECRET: z.string().min(1).optional(),
  /** A MapLibre style for the roadmap. */
  MAP_STYLE_URL: address('http:', 'https:').optional(),
  MAP_ROADMAP_TILES: tiles.optional(),
  MAP_SATELLITE_TILES: tiles.optional(),
  /** A PMTiles file on this machine, which the product serves. */
  MAP_PMTILES: z.string().min(1).optional(),
  /** Further hosts from which a style loads tiles, glyphs and images, separated by spaces. */
  MAP_HOSTS: z
    .string()
    .transform((text) => text.trim().split(/\s+/))
    .refine((all) => all.every((one) => URL.canParse(one) && /^https?:\/\/[^/]+\/?$/i.test(one)), {
      message: 'must be origins: https://tiles.example.org',
    })
    .optional(),
  /** The attribution that the tiles require. */
  MAP_ATTRIBUTION: z.string().max(300).default(''),
  /** The service for postcode positions and addresses; none by default. */
  POSTCODE_SERVICE: z.enum(postcodeServices).optional(),
  /** The address of that service, if it is not its public one. */
  POSTCODE_SERVICE_URL: address('http:', 'https:')
    .refine((text) => !/[?#]/.test(text), { message: 'must have neither query nor fragment' })
    .optional(),
  POSTCODE_SERVICE_KEY: z.string().min(1).optional(),
  /** A collector for OTLP over HTTP, which receives traces and metrics. The name is OpenTelemetry's. */
  OTEL_EXPORTER_OTLP_ENDPOINT: address('http:', 'https:').optional(),
  OTEL_EXPORTER_OTLP_PROTOCOL: z.literal('http/protobuf').optional(),
  OTEL_EXPORTER_OTLP_HEADERS: otlpPairs.optional(),
  OTEL_SERVICE_NAME: z.string().min(1).default('caretaker'),
  /** The share of calls and work that is traced. */
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).default(1),
  OTEL_METRIC_EXPORT_INTERVAL: z.coerce.number().int().min(100).default(60_000),
  /** The sender of e-mails: an address, or `Name <address>`. */
  SMTP_FROM: z
    .string()
    .regex(/^(?:[^<>\r\n]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/, 'must be an e-mail address, or Name <address>')
    .optional(),
})

/** The demo shows the link to a mobile app that does not exist. */
const demoAppUrl = 'https://app.caretaker.example'

export type Part = 'api' | 'ingest' | 'worker'
export const parts = ['api', 'ingest', 'worker'] as const

/** The directory name for users of the embedded identity provider, whatever its address. */
export const embeddedDirectory = 'embedded'

export interface Config {
  host: string
  port: number
  mqtt: {
    host: string
    port: number
    /** The certificate and key files. */
    tls?: { cert: string; key: string }
    waitingPerAddress: number
    /** `mqtts://host:port` without a trailing slash: the address for devices, if a setting names it. */
    publicUrl?: string | undefined
  }
  /** 0 means any free port in a process without `api`, and none in others. */
  healthPort: number
  /** Without a trailing slash, for example `http://localhost:8080`. */
  origin: string
  /** Whether a setting names the origin. */
  originGiven: boolean
  /** The setting and value by which other machines can reach this installation; undefined if only this machine can. */
  exposedBy?: string | undefined
  dataDir: string
  /** Whether a setting names it, and it is not the default. */
  dataDirGiven: boolean
  demo: boolean
  /** Whether a setting requests the demo. */
  demoGiven: boolean
  demoDevices: number
  logLevel: string
  /** Whether e-mails, webhooks, commands and lookups leave the installation. */
  outbound: boolean
  /** How many proxies in front are trusted, or which; none by default. */
  trustedProxies?: number | string[]
  /** The shell command that runs after each backup of everything. */
  backupAfter?: string | undefined
  /** A database server on which `backup verify --restore` creates a database; by default that of the installation. */
  trialDatabaseUrl?: string | undefined
  metricsToken?: string
  /** The secret of an external broker that asks for permissions; without it, no request is answered. */
  brokerSecret?: string | undefined
  vendorDomain: string
  /** The mobile app's address without a trailing slash; without it the portal shows no link to the app. */
  appUrl?: string
  /** The address to which the portal sends boiler resets; this server by default. */
  resetUrl?: string
  support: { email: string; phone: string; videos: string }
  /** Non-public networks that webhooks may reach. */
  webhookNetworks: string[]
  rateLimit: number
  intakeBytes: number
  telemetryDays: number
  /** How long a client must be suspended before it can be removed, in days. */
  removalDays: number
  eventDays: number
  /** The delays before alerts are sent, in ms. */
  alertPace: Pace
  /** Limits per device and hour. */
  deviceLimits: { messages: number; bytes: number; events: number }
  databaseUrl?: string
  mqttUrl?: string
  smtpUrl?: string
  /** `https://KEY:SECRET@host/bucket?region=…`; by default files are in the data folder. */
  filesUrl?: string
  /** A ClamAV daemon that scans uploads. */
  virusScanner?: { host: string; port: number } | undefined
  mailFrom: string
  /** The sources of maps; the built-in map is used without style, tiles and file. */
  map: {
    styleUrl?: string
    roadmapTiles: string[]
    satelliteTiles: string[]
    /** The path of the file. */
    pmtiles?: string
    attribution: string
    /** Origins from which the browser may load maps. */
    hosts: string[]
  }
  /** A postcode service; without it no other host is queried. */
  postcodes?: {
    service: PostcodeServiceName
    /** Without a trailing slash; its public address by default. */
    url?: string
    key?: string
  }
  oidc: {
    issuer: string
    clientId: string
    audience: string
    embedded: boolean
    /** Whether an e-mail counts as verified if the issuer does not state it. */
    trustsEmails: boolean
    /** The directory of its users: the issuer, or `embedded` for the embedded provider, whose address may change. */
    directory: string
  }
  /** Where traces and metrics are sent; nowhere by default. */
  openTelemetry?: {
    /** Without a trailing slash. */
    endpoint: string
    headers: Record<string, string>
    service: string
    /** From 0 to 1. */
    sampled: number
    everyMs: number
  }
  parts: readonly Part[]
  /** Names in the environment that look like settings but are not. */
  unknownSettings: UnknownSetting[]
}

/**
 * The first setting that exposes the installation to other machines. The host of the embedded broker only matters if
 * that broker is used.
 */
function exposureOf(e: z.infer<typeof Environment>): string | undefined {
  if (!isLocal(e.HOST)) return `HOST ${e.HOST}`
  if (e.MQTT_HOST && !e.MQTT_URL && !isLocal(e.MQTT_HOST)) return `MQTT_HOST ${e.MQTT_HOST}`
  if (e.CARETAKER_ORIGIN && !isLocalUrl(e.CARETAKER_ORIGIN)) return `CARETAKER_ORIGIN ${e.CARETAKER_ORIGIN}`
  if (e.MQTT_PUBLIC_URL && !isLocalUrl(e.MQTT_PUBLIC_URL)) return `MQTT_PUBLIC_URL ${e.MQTT_PUBLIC_URL}`
  return undefined
}

const originsOf = (addresses: readonly string[]) => [...new Set(addresses.map((one) => new URL(one).origin))]

/** The bucket of uploaded files as one address, whether given as a whole or in parts; undefined if there is none. */
function bucketIn(e: z.infer<typeof Environment>): string | undefined {
  if (!e.S3_BUCKET) return e.FILES_URL
  if (e.FILES_URL) throw new SettingError('FILES_URL and S3_BUCKET name two buckets: give one of them')
  if (!e.S3_KEY !== !e.S3_SECRET) throw new SettingError('S3_KEY and S3_SECRET belong together: give both, or neither')
  const url = new URL(e.S3_ENDPOINT ?? `https://s3.${e.S3_REGION ?? 'us-east-1'}.amazonaws.com`)
  url.username = encodeURIComponent(e.S3_KEY ?? '')
  url.password = encodeURIComponent(e.S3_SECRET ?? '')
  url.pathname = `/${e.S3_BUCKET}`
  if (e.S3_REGION) url.searchParams.set('region', e.S3_REGION)
  return url.href
}

/** The sources of maps; while nothing leaves the installation, only those that it serves itself. */
function mapOf(e: z.infer<typeof Environment>): Config['map'] {
  const pmtiles = e.MAP_PMTILES && path.resolve(e.MAP_PMTILES)
  const attribution = e.MAP_ATTRIBUTION
  if (!e.CARETAKER_OUTBOUND) return { roadmapTiles: [], satelliteTiles: [], pmtiles, attribution, hosts: [] }
  const roadmapTiles = e.MAP_ROADMAP_TILES ?? []
  const satelliteTiles = e.MAP_SATELLITE_TILES ?? []
  const style = e.MAP_STYLE_URL ? [e.MAP_STYLE_URL] : []
  const hosts = originsOf([...style, ...roadmapTiles, ...satelliteTiles, ...(e.MAP_HOSTS ?? [])])
  return { styleUrl: e.MAP_STYLE_URL, roadmapTiles, satelliteTiles, pmtiles, attribution, hosts }
}

const mailFromOf = (origin: string) => `Caretaker <no-reply@${new URL(origin).hostname}>`

const embeddedProvider = (origin: string): Config['oidc'] => ({
  issuer: `${origin}/oidc`,
  clientId: 'caretaker-web',
  audience: `${origin}/api`,
  embedded: true,
  trustsEmails: false,
  directory: embeddedDirectory,
})

/** The configuration at another origin, with everything derived from it. */
export function withOrigin(config: Config, origin: string): Config {
  const { mailFrom, oidc } = config
  return {
    ...config,
    origin,
    mailFrom: mailFrom === mailFromOf(config.origin) ? mailFromOf(origin) : mailFrom,
    oidc: oidc.embedded ? embeddedProvider(origin) : oidc,
  }
}

/** The host and port of the virus scanner. */
function scannerIn({ CARETAKER_VIRUS_SCANNER: given }: z.infer<typeof Environment>): Config['virusScanner'] {
  const [host, port] = given?.split(':') ?? []
  return host ? { host, port: Number(port) } : undefined
}

/** Parses the environment; names every invalid setting in one SettingError. */
export function readConfig(env: Record<string, string | undefined>, wantedParts: readonly string[] = []): Config {
  const { settings, faults: unread } = withSecretFiles(env)
  if (unread.length) throw new SettingError(`Wrong setting. ${unread.join('; ')}`)
  const given = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined && value !== ''))
  const parsed = Environment.safeParse(given)
  if (!parsed.success) {
    const faults = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
    throw new SettingError(`Wrong setting. ${faults.join('; ')}`)
  }
  const unknown = wantedParts.filter((part) => !(parts as readonly string[]).includes(part))
  if (unknown.length) throw new SettingError(`Unknown part ${unknown.join(', ')}: choose from ${parts.join(', ')}`)
  const e = parsed.data
  if (e.OIDC_ISSUER && !e.OIDC_AUDIENCE)
    throw new SettingError('OIDC_ISSUER needs OIDC_AUDIENCE: the audience of the access tokens')
  if (!isLocal(e.HOST) && !e.CARETAKER_ORIGIN)
    throw new SettingError(
      `HOST ${e.HOST} can be called from elsewhere: set CARETAKER_ORIGIN to the address that people use, e.g. https://caretaker.example.org`,
    )
  if (!e.POSTCODE_SERVICE && (e.POSTCODE_SERVICE_URL || e.POSTCODE_SERVICE_KEY))
    throw new SettingError(
      `Set POSTCODE_SERVICE to the service of this address and key: ${postcodeServices.join(', ')}`,
    )
  if (e.POSTCODE_SERVICE && e.POSTCODE_SERVICE !== 'postcodes.io' && !e.POSTCODE_SERVICE_KEY)
    throw new SettingError(`POSTCODE_SERVICE ${e.POSTCODE_SERVICE} needs POSTCODE_SERVICE_KEY`)
  if (!e.CARETAKER_OUTBOUND && e.MQTT_URL)
    throw new SettingError(
      'CARETAKER_OUTBOUND=off and MQTT_URL: commands would reach the devices of that broker. Unset MQTT_URL to use the embedded broker',
    )
  if (e.CARETAKER_BROKER_SECRET && !e.HEALTH_PORT)
    throw new SettingError('CARETAKER_BROKER_SECRET needs HEALTH_PORT: the port on which the broker asks')
  if (!e.MQTT_TLS_CERT !== !e.MQTT_TLS_KEY)
    throw new SettingError('MQTT_TLS_CERT and MQTT_TLS_KEY belong together: give both, or neither')
  const demo = e.CARETAKER_DEMO ?? !e.DATABASE_URL
  const origin = (e.CARETAKER_ORIGIN ?? `http://localhost:${e.PORT}`).replace(/\/+$/, '')
  return {
    host: e.HOST,
    port: e.PORT,
    mqtt: {
      host: e.MQTT_HOST ?? e.HOST,
      port: e.MQTT_PORT,
      tls: e.MQTT_TLS_CERT && e.MQTT_TLS_KEY ? { cert: e.MQTT_TLS_CERT, key: e.MQTT_TLS_KEY } : undefined,
      waitingPerAddress: e.MQTT_WAITING_PER_ADDRESS,
      publicUrl: e.MQTT_PUBLIC_URL?.replace(/\/+$/, ''),
    },
    healthPort: e.HEALTH_PORT,
    origin,
    originGiven: e.CARETAKER_ORIGIN !== undefined,
    exposedBy: exposureOf(e),
    dataDir: path.resolve(e.CARETAKER_DATA ?? './data'),
    dataDirGiven: e.CARETAKER_DATA !== undefined,
    demo,
    demoGiven: e.CARETAKER_DEMO !== undefined,
    demoDevices: e.CARETAKER_DEMO_DEVICES,
    logLevel: e.CARETAKER_LOG,
    outbound: e.CARETAKER_OUTBOUND,
    trustedProxies: e.CARETAKER_TRUSTED_PROXIES,
    backupAfter: e.CARETAKER_BACKUP_AFTER,
    trialDatabaseUrl: e.CARETAKER_TRIAL_DATABASE_URL,
    metricsToken: e.CARETAKER_METRICS_TOKEN,
    brokerSecret: e.CARETAKER_BROKER_SECRET,
    vendorDomain: e.CARETAKER_VENDOR_DOMAIN.toLowerCase(),
    appUrl: (e.CARETAKER_APP_URL ?? (demo ? demoAppUrl : undefined))?.replace(/\/+$/, ''),
    resetUrl: e.CARETAKER_OUTBOUND ? e.CARETAKER_RESET_URL : undefined,
    support: {
      email: e.CARETAKER_SUPPORT_EMAIL,
      phone: e.CARETAKER_SUPPORT_PHONE,
      videos: e.CARETAKER_SUPPORT_VIDEOS,
    },
    webhookNetworks: e.CARETAKER_WEBHOOK_NETWORKS ?? [],
    rateLimit: e.CARETAKER_RATE_LIMIT,
    intakeBytes: e.CARETAKER_INTAKE_MB * 1_048_576,
    telemetryDays: e.CARETAKER_TELEMETRY_DAYS,
    removalDays: e.CARETAKER_REMOVAL_DAYS,
    eventDays: e.CARETAKER_EVENT_DAYS,
    alertPace: {
      wait: e.CARETAKER_ALERT_WAIT * 1000,
      interval: e.CARETAKER_ALERT_INTERVAL * 1000,
      clearing: e.CARETAKER_ALERT_CLEAR * 1000,
    },
    deviceLimits: {
      messages: e.CARETAKER_DEVICE_MESSAGES,
      bytes: e.CARETAKER_DEVICE_MB * 1_048_576,
      events: e.CARETAKER_DEVICE_EVENTS,
    },
    databaseUrl: e.DATABASE_URL,
    mqttUrl: e.MQTT_URL,
    smtpUrl: e.SMTP_URL,
    filesUrl: bucketIn(e),
    virusScanner: scannerIn(e),
    mailFrom: e.SMTP_FROM ?? mailFromOf(origin),
    map: mapOf(e),
    postcodes:
      e.CARETAKER_OUTBOUND && e.POSTCODE_SERVICE
        ? {
            service: e.POSTCODE_SERVICE,
            url: e.POSTCODE_SERVICE_URL?.replace(/\/+$/, ''),
            key: e.POSTCODE_SERVICE_KEY,
          }
        : undefined,
    oidc: e.OIDC_ISSUER
      ? {
          issuer: e.OIDC_ISSUER,
          clientId: e.OIDC_CLIENT_ID,
          audience: e.OIDC_AUDIENCE!,
          embedded: false,
          trustsEmails: e.OIDC_TRUST_EMAILS,
          directory: e.OIDC_ISSUER,
        }
      : embeddedProvider(origin),
    openTelemetry:
      e.CARETAKER_OUTBOUND && e.OTEL_EXPORTER_OTLP_ENDPOINT
        ? {
            endpoint: e.OTEL_EXPORTER_OTLP_ENDPOINT.replace(/\/+$/, ''),
            headers: e.OTEL_EXPORTER_OTLP_HEADERS ?? {},
            service: e.OTEL_SERVICE_NAME,
            sampled: e.OTEL_TRACES_SAMPLER_ARG,
            everyMs: e.OTEL_METRIC_EXPORT_INTERVAL,
          }
        : undefined,
    parts: wantedParts.length ? (wantedParts as Part[]) : parts,
    unknownSettings: unknownSettings(given, Object.keys(Environment.shape)),
  }
}

/** The configuration of this process: the only place that reads the environment. */
export function loadConfig(wantedParts: readonly string[] = []): Config {
  return readConfig(process.env, wantedParts)
}
