import { isIP } from 'node:net'
import path from 'node:path'
import { z } from 'zod'
import { email } from '@caretaker/contract/scalars.ts'
import type { Pace } from '@caretaker/rules/alerts/engine.ts'

/** A setting that is wrong or a surrounding that is not as it must be: shown as one line, exit code 1. */
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

/** An address, or a network as `10.1.0.0/16`. */
function isNetwork(text: string): boolean {
  const [address = '', prefix, ...more] = text.split('/')
  const version = isIP(address)
  if (!version || more.length) return false
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128))
}

/** Whether nobody but this machine itself can call what listens there. */
const isLocal = (host: string) => /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/i.test(host)

/** The same of an address that a setting names. */
const isLocalUrl = (url: string) => isLocal(new URL(url).hostname.replace(/^\[(.*)\]$/, '$1'))

/** `mqtts://host:port`: devices get it, so it holds no password, and the protocol has no paths. */
function isBareBroker(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { username, password, hostname, pathname, search, hash } = new URL(text)
  return hostname !== '' && !username && !password && !pathname.replace(/^\/$/, '') && !search && !hash
}

/** Addresses of tiles, apart by spaces; several give the same tiles. A host is named in full, for the content policy names it. */
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

/** Names and values as OpenTelemetry writes them: `name=value,name=value`, values percent-encoded. */
const otlpPairs = z
  .string()
  .refine((text) => text.split(',').every((pair) => /^\s*[^=\s]+=[^=]*$/.test(pair)), {
    message: 'must be pairs apart by commas: name=value,name=value',
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
  /** Where the embedded broker listens; where HTTP does unless given. */
  MQTT_HOST: z.string().min(1).optional(),
  MQTT_PORT: port.default(1883),
  /** The address at which devices reach the broker, where it is not the one that the other settings give. */
  MQTT_PUBLIC_URL: address('mqtt:', 'mqtts:')
    .refine(isBareBroker, { message: 'must be mqtt:// or mqtts://, a host, and a port where it is not the usual one' })
    .optional(),
  /** Files with certificate and key, in PEM: the embedded broker speaks TLS alone then. */
  MQTT_TLS_CERT: z.string().min(1).optional(),
  MQTT_TLS_KEY: z.string().min(1).optional(),
  /** Connections from one address that have not signed in yet; another one is closed. */
  MQTT_WAITING_PER_ADDRESS: z.coerce.number().int().min(1).default(200),
  /** Where /livez, /readyz and /metrics are answered apart from calls; 0: nowhere, and without `api` on a free port, told at the start. */
  HEALTH_PORT: port.default(0),
  /** The address people and devices use, when it is not http://localhost:PORT (behind a proxy). */
  CARETAKER_ORIGIN: address('http:', 'https:').optional(),
  CARETAKER_DATA: z.string().min(1).optional(),
  /** On with the embedded database; with a DATABASE_URL only where it is asked for. */
  CARETAKER_DEMO: onOff.optional(),
  CARETAKER_DEMO_DEVICES: z.coerce.number().int().min(200).max(1_000_000).default(2000),
  CARETAKER_LOG: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent']).default('warn'),
  /** Whose X-Forwarded-For is believed: how many proxies stand in front, or their addresses and networks. */
  CARETAKER_TRUSTED_PROXIES: z
    .string()
    .transform((text) => text.split(',').map((one) => one.trim()))
    .refine((given) => (given.length === 1 && isHops(given[0]!)) || given.every(isNetwork), {
      message: 'must be a number of proxies, or their addresses: 1, or 10.0.0.5,10.1.0.0/16',
    })
    .transform((given) => (isHops(given[0]!) ? Number(given[0]) : given))
    .optional(),
  CARETAKER_BEHIND_PROXY: z
    .undefined({ error: 'is no setting any more: say with CARETAKER_TRUSTED_PROXIES which proxies are believed' })
    .optional(),
  /** off: nothing is sent to people or other software; for an installation that tries a backup out. */
  CARETAKER_OUTBOUND: onOff.default(true),
  /** What /metrics asks for as a bearer token. */
  CARETAKER_METRICS_TOKEN: z.string().min(16).optional(),
  CARETAKER_VENDOR_DOMAIN: z.string().min(1).default('caretaker.example'),
  /** Where the mobile app is opened: paths of the portal are put behind it. */
  CARETAKER_APP_URL: address('http:', 'https:')
    .refine((text) => !/[?#]/.test(text), { message: 'must have neither query nor fragment' })
    .optional(),
  /** Where the portal sends the reset of a boiler; to this server unless given. */
  CARETAKER_RESET_URL: address('http:', 'https:')
    .refine((text) => !text.includes('#'), { message: 'must have no fragment' })
    .optional(),
  /** Networks that are not public and that webhooks may reach all the same, over plain HTTP too. */
  CARETAKER_WEBHOOK_NETWORKS: z
    .string()
    .transform((text) => text.split(',').map((one) => one.trim()))
    .refine((given) => given.every(isNetwork), { message: 'must be addresses or networks: 10.1.0.0/16,127.0.0.1' })
    .optional(),
  /** What the support page tells. */
  CARETAKER_SUPPORT_EMAIL: email().default('support@caretaker.example'),
  CARETAKER_SUPPORT_PHONE: z
    .string()
    .regex(/^[+()0-9 -]{3,30}$/, { message: 'must be a phone number' })
    .default('+44 1632 960 100'),
  CARETAKER_SUPPORT_VIDEOS: address('http:', 'https:').default('https://videos.caretaker.example/'),
  /** Calls a minute from one address before 429. */
  CARETAKER_RATE_LIMIT: z.coerce.number().int().min(1).default(3000),
  /** Memory in MB for messages of devices that wait to be stored; beyond it nothing more is read from them. */
  CARETAKER_INTAKE_MB: z.coerce.number().int().min(1).default(128),
  /** What one device may send in an hour; what is more is set aside. */
  CARETAKER_ALERT_WAIT: z.coerce.number().int().min(0).max(86_400).default(120),
  CARETAKER_ALERT_INTERVAL: z.coerce.number().int().min(0).max(86_400).default(900),
  CARETAKER_ALERT_CLEAR: z.coerce.number().int().min(0).max(86_400).default(1800),
  CARETAKER_DEVICE_MESSAGES: z.coerce.number().int().min(1).default(7200),
  CARETAKER_DEVICE_MB: z.coerce.number().min(1).default(32),
  /** Events and tests. */
  CARETAKER_DEVICE_EVENTS: z.coerce.number().int().min(1).default(300),
  /** How long events are kept, and entries of the audit that are of no person of the portal. */
  CARETAKER_EVENT_DAYS: z.coerce.number().int().min(31).default(1100),
  /** How long a client must have been suspended before it can be removed. */
  CARETAKER_REMOVAL_DAYS: z.coerce.number().int().min(1).default(30),
  CARETAKER_TELEMETRY_DAYS: z.coerce.number().int().min(8).default(400),
  DATABASE_URL: address('postgres:', 'postgresql:').optional(),
  MQTT_URL: address('mqtt:', 'mqtts:').optional(),
  OIDC_ISSUER: address('http:', 'https:').optional(),
  OIDC_CLIENT_ID: z.string().min(1).default('caretaker-web'),
  OIDC_AUDIENCE: z.string().min(1).optional(),
  /** on: an e-mail counts as verified where the issuer does not say whether it is. */
  OIDC_TRUST_EMAILS: onOff.default(false),
  SMTP_URL: address('smtp:', 'smtps:').optional(),
  /** A bucket that speaks S3. */
  FILES_URL: address('http:', 'https:')
    .refine((text) => /^[^/]*\/\/[^/]+\/[^/?#]+(?:\?[^#]*)?$/.test(text), {
      message: 'must name a bucket: https://KEY:SECRET@host/bucket',
    })
    .optional(),
  /** The same bucket by its parts, as other programs have them. */
  S3_BUCKET: z
    .string()
    .regex(/^[^/?#\s]+$/, 'must be the name of a bucket')
    .optional(),
  S3_ENDPOINT: address('http:', 'https:').optional(),
  S3_REGION: z.string().min(1).optional(),
  S3_KEY: z.string().min(1).optional(),
  S3_SECRET: z.string().min(1).optional(),
  /** A MapLibre style that the roadmap is drawn with. */
  MAP_STYLE_URL: address('http:', 'https:').optional(),
  MAP_ROADMAP_TILES: tiles.optional(),
  MAP_SATELLITE_TILES: tiles.optional(),
  /** A PMTiles file on this machine, which the product serves. */
  MAP_PMTILES: z.string().min(1).optional(),
  /** Further hosts that a style takes its tiles, glyphs and images from, apart by spaces. */
  MAP_HOSTS: z
    .string()
    .transform((text) => text.trim().split(/\s+/))
    .refine((all) => all.every((one) => URL.canParse(one) && /^https?:\/\/[^/]+\/?$/i.test(one)), {
      message: 'must be origins: https://tiles.example.org',
    })
    .optional(),
  /** What the tiles ask to have said of them. */
  MAP_ATTRIBUTION: z.string().max(300).default(''),
  /** Who is asked where a post code is and which addresses it has; nobody unless set. */
  POSTCODE_SERVICE: z.enum(postcodeServices).optional(),
  /** Where that service answers, where it is not its public address. */
  POSTCODE_SERVICE_URL: address('http:', 'https:')
    .refine((text) => !/[?#]/.test(text), { message: 'must have neither query nor fragment' })
    .optional(),
  POSTCODE_SERVICE_KEY: z.string().min(1).optional(),
  /** A collector that speaks OTLP over HTTP: traces and figures are sent to it. Named as OpenTelemetry names its settings. */
  OTEL_EXPORTER_OTLP_ENDPOINT: address('http:', 'https:').optional(),
  OTEL_EXPORTER_OTLP_PROTOCOL: z.literal('http/protobuf').optional(),
  OTEL_EXPORTER_OTLP_HEADERS: otlpPairs.optional(),
  OTEL_SERVICE_NAME: z.string().min(1).default('caretaker'),
  /** The share of calls and pieces of work that are traced. */
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).default(1),
  OTEL_METRIC_EXPORT_INTERVAL: z.coerce.number().int().min(100).default(60_000),
  /** Whom mails come from: an address, or `Name <address>`. */
  SMTP_FROM: z
    .string()
    .regex(/^(?:[^<>\r\n]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/, 'must be an e-mail address, or Name <address>')
    .optional(),
})

/** The demo shows the way to a mobile app that there is none of. */
const demoAppUrl = 'https://app.caretaker.example'

export type Part = 'api' | 'ingest' | 'worker'
export const parts = ['api', 'ingest', 'worker'] as const

/** The name under which people of the embedded identity provider are kept, whatever its address. */
export const embeddedDirectory = 'embedded'

export interface Config {
  host: string
  port: number
  mqtt: {
    host: string
    port: number
    /** The files of certificate and key. */
    tls?: { cert: string; key: string }
    waitingPerAddress: number
    /** `mqtts://host:port` without a trailing slash: what devices connect to, where a setting names it. */
    publicUrl?: string | undefined
  }
  /** 0 for any free one in a process without `api`, and none in others. */
  healthPort: number
  /** Without a trailing slash, e.g. `http://localhost:8080`. */
  origin: string
  /** Whether a setting names the origin. */
  originGiven: boolean
  /** The setting and value by which other machines can reach this installation; undefined where only this machine can. */
  exposedBy?: string | undefined
  dataDir: string
  /** Whether a setting names it, and it is not the usual one. */
  dataDirGiven: boolean
  demo: boolean
  /** Whether a setting asks for the demo. */
  demoGiven: boolean
  demoDevices: number
  logLevel: string
  /** Whether e-mails, webhooks and look-ups leave the installation. */
  outbound: boolean
  /** How many proxies in front are believed, or which; none unless given. */
  trustedProxies?: number | string[]
  metricsToken?: string
  vendorDomain: string
  /** The mobile app's address without a trailing slash; without it the portal offers no link to the app. */
  appUrl?: string
  /** Where the portal sends the reset of a boiler; to this server unless given. */
  resetUrl?: string
  support: { email: string; phone: string; videos: string }
  /** Networks that are not public and that webhooks may reach. */
  webhookNetworks: string[]
  rateLimit: number
  intakeBytes: number
  telemetryDays: number
  /** How long a client must have been suspended before it can be removed, in days. */
  removalDays: number
  eventDays: number
  /** How patient alerts are with telling, in ms. */
  alertPace: Pace
  /** What one device may send in an hour. */
  deviceLimits: { messages: number; bytes: number; events: number }
  databaseUrl?: string
  mqttUrl?: string
  smtpUrl?: string
  /** `https://KEY:SECRET@host/bucket?region=…`; without it files lie in the data folder. */
  filesUrl?: string
  mailFrom: string
  /** What maps are drawn with; the built-in map where neither style, tiles nor file is given. */
  map: {
    styleUrl?: string
    roadmapTiles: string[]
    satelliteTiles: string[]
    /** The file. */
    pmtiles?: string
    attribution: string
    /** Origins that the browser may ask for maps. */
    hosts: string[]
  }
  /** A service that knows post codes; without it no other host is asked. */
  postcodes?: {
    service: PostcodeServiceName
    /** Without a trailing slash; its public address unless given. */
    url?: string
    key?: string
  }
  oidc: {
    issuer: string
    clientId: string
    audience: string
    embedded: boolean
    /** Whether an e-mail counts as verified where the issuer does not say so. */
    trustsEmails: boolean
    /** Whose people these are: the issuer, or `embedded` for the own provider, whose address may change. */
    directory: string
  }
  /** Where traces and figures are sent; nowhere unless set. */
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
}

/** The first setting that lets other machines in. The host of the embedded broker counts only where that is used. */
function exposureOf(e: z.infer<typeof Environment>): string | undefined {
  if (!isLocal(e.HOST)) return `HOST ${e.HOST}`
  if (e.MQTT_HOST && !e.MQTT_URL && !isLocal(e.MQTT_HOST)) return `MQTT_HOST ${e.MQTT_HOST}`
  if (e.CARETAKER_ORIGIN && !isLocalUrl(e.CARETAKER_ORIGIN)) return `CARETAKER_ORIGIN ${e.CARETAKER_ORIGIN}`
  if (e.MQTT_PUBLIC_URL && !isLocalUrl(e.MQTT_PUBLIC_URL)) return `MQTT_PUBLIC_URL ${e.MQTT_PUBLIC_URL}`
  return undefined
}

const originsOf = (addresses: readonly string[]) => [...new Set(addresses.map((one) => new URL(one).origin))]

/** The bucket of uploaded files as one address, whether it was given so or by its parts; undefined for none. */
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

const mailFromOf = (origin: string) => `Caretaker <no-reply@${new URL(origin).hostname}>`

const embeddedProvider = (origin: string): Config['oidc'] => ({
  issuer: `${origin}/oidc`,
  clientId: 'caretaker-web',
  audience: `${origin}/api`,
  embedded: true,
  trustsEmails: false,
  directory: embeddedDirectory,
})

/** The same configuration at another origin, with what follows from it. */
export function withOrigin(config: Config, origin: string): Config {
  const { mailFrom, oidc } = config
  return {
    ...config,
    origin,
    mailFrom: mailFrom === mailFromOf(config.origin) ? mailFromOf(origin) : mailFrom,
    oidc: oidc.embedded ? embeddedProvider(origin) : oidc,
  }
}

/** Reads the environment once; every wrong setting is named in one SettingError. */
export function readConfig(env: Record<string, string | undefined>, wantedParts: readonly string[] = []): Config {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''))
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
    throw new SettingError(`POSTCODE_SERVICE says whose address and key these are: ${postcodeServices.join(', ')}`)
  if (e.POSTCODE_SERVICE && e.POSTCODE_SERVICE !== 'postcodes.io' && !e.POSTCODE_SERVICE_KEY)
    throw new SettingError(`POSTCODE_SERVICE ${e.POSTCODE_SERVICE} needs POSTCODE_SERVICE_KEY`)
  if (!e.CARETAKER_OUTBOUND && e.MQTT_URL)
    throw new SettingError(
      'CARETAKER_OUTBOUND=off and MQTT_URL: commands would reach the devices of that broker. Unset MQTT_URL, and the embedded broker is used',
    )
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
    metricsToken: e.CARETAKER_METRICS_TOKEN,
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
    mailFrom: e.SMTP_FROM ?? mailFromOf(origin),
    map: {
      styleUrl: e.MAP_STYLE_URL,
      roadmapTiles: e.MAP_ROADMAP_TILES ?? [],
      satelliteTiles: e.MAP_SATELLITE_TILES ?? [],
      pmtiles: e.MAP_PMTILES && path.resolve(e.MAP_PMTILES),
      attribution: e.MAP_ATTRIBUTION,
      hosts: originsOf([
        ...(e.MAP_STYLE_URL ? [e.MAP_STYLE_URL] : []),
        ...(e.MAP_ROADMAP_TILES ?? []),
        ...(e.MAP_SATELLITE_TILES ?? []),
        ...(e.MAP_HOSTS ?? []),
      ]),
    },
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
    openTelemetry: e.OTEL_EXPORTER_OTLP_ENDPOINT
      ? {
          endpoint: e.OTEL_EXPORTER_OTLP_ENDPOINT.replace(/\/+$/, ''),
          headers: e.OTEL_EXPORTER_OTLP_HEADERS ?? {},
          service: e.OTEL_SERVICE_NAME,
          sampled: e.OTEL_TRACES_SAMPLER_ARG,
          everyMs: e.OTEL_METRIC_EXPORT_INTERVAL,
        }
      : undefined,
    parts: wantedParts.length ? (wantedParts as Part[]) : parts,
  }
}

/** The configuration of this process: the only place that reads the environment. */
export function loadConfig(wantedParts: readonly string[] = []): Config {
  return readConfig(process.env, wantedParts)
}
