import type { FastifyBaseLogger } from 'fastify'
import { z } from 'zod'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { Postcode } from '@caretaker/rules/postcodes/postcode.ts'
import type { Config, PostcodeServiceName } from '../config.ts'
import type { KnownPostcode, PostalAddress, PostcodeService } from '../context.ts'
import { openDataCredit } from './credits.ts'

interface Asked {
  postcode: Postcode
  /** The service's address, without a trailing slash. */
  url: string
  key: string
}

/** How to query a service, and the meaning of its responses. */
interface Dialect {
  url: string
  knowsAddresses: boolean
  credit: string | null
  request(asked: Asked): { url: string; headers: Record<string, string> }
  /** Statuses that mean that the postcode does not exist. */
  unknown: readonly number[]
  /** Reads a response with status 200; throws if its shape is not the documented one. */
  read(body: unknown): KnownPostcode | undefined
}

const Degrees = z.coerce.number().nullish()
const placeOf = (lat: number | null | undefined, lng: number | null | undefined) =>
  typeof lat === 'number' && typeof lng === 'number' ? { lat, lng } : null
const text = z.string().nullish()

/** https://postcodes.io/docs: open data, positions only. */
const postcodesIo: Dialect = {
  url: 'https://api.postcodes.io',
  knowsAddresses: false,
  credit: openDataCredit,
  request: ({ postcode, url }) => ({ url: `${url}/postcodes/${encodeURIComponent(postcode.text)}`, headers: {} }),
  unknown: [404],
  read: (body) => {
    const { result } = z.object({ result: z.object({ latitude: Degrees, longitude: Degrees }) }).parse(body)
    return { place: placeOf(result.latitude, result.longitude), addresses: [] }
  },
}

const IdealAddress = z.object({
  ...{ line_1: text, line_2: text, line_3: text, post_town: text, county: text, postcode: z.string() },
  // An empty text if it has no coordinates.
  ...{
    latitude: z.union([z.number(), z.literal('')]).nullish(),
    longitude: z.union([z.number(), z.literal('')]).nullish(),
  },
})

/** https://docs.ideal-postcodes.co.uk: Royal Mail's addresses, 100 per page. */
const idealPostcodes: Dialect = {
  url: 'https://api.ideal-postcodes.co.uk',
  knowsAddresses: true,
  credit: null,
  request: ({ postcode, url, key }) => ({
    url: `${url}/v1/postcodes/${encodeURIComponent(postcode.text)}`,
    headers: { authorization: `api_key="${key}"` },
  }),
  unknown: [404],
  read: (body) => {
    const { result } = z.object({ result: z.array(IdealAddress) }).parse(body)
    const measured = result.find(({ latitude }) => typeof latitude === 'number')
    return {
      place: placeOf(measured?.latitude as number | undefined, measured?.longitude as number | undefined),
      addresses: result.map(({ line_1, line_2, line_3, post_town, county, postcode }) => ({
        ...{ line1: line_1 ?? '', line2: line_2 ?? '', line3: line_3 ?? '' },
        ...{ town: titled(post_town ?? ''), county: county ?? '', postcode },
      })),
    }
  },
}

const DeliveryPoint = z.object({
  ...{ DEPARTMENT_NAME: text, ORGANISATION_NAME: text, SUB_BUILDING_NAME: text, BUILDING_NAME: text },
  ...{ BUILDING_NUMBER: text, DEPENDENT_THOROUGHFARE_NAME: text, THOROUGHFARE_NAME: text, PO_BOX_NUMBER: text },
  ...{ DOUBLE_DEPENDENT_LOCALITY: text, DEPENDENT_LOCALITY: text, POST_TOWN: text, POSTCODE: z.string() },
  ...{ LAT: Degrees, LNG: Degrees },
})

/** https://docs.os.uk/os-apis/accessing-os-apis/os-places-api: delivery points, 100 per page, in capitals. */
const osPlaces: Dialect = {
  url: 'https://api.os.uk',
  knowsAddresses: true,
  credit: 'Contains OS data © Crown copyright and database right',
  request: ({ postcode, url, key }) => {
    const query = { postcode: postcode.text, dataset: 'DPA', output_srs: 'EPSG:4326', maxresults: '100' }
    return { url: `${url}/search/places/v1/postcode?${new URLSearchParams(query).toString()}`, headers: { key } }
  },
  // A postcode of an area that does not exist.
  unknown: [400],
  read: (body) => {
    const { results } = z.object({ results: z.array(z.object({ DPA: DeliveryPoint })).default([]) }).parse(body)
    const [first] = results
    if (!first) return undefined
    return { place: placeOf(first.DPA.LAT, first.DPA.LNG), addresses: results.map(({ DPA }) => ofDeliveryPoint(DPA)) }
  },
}

function ofDeliveryPoint(point: z.infer<typeof DeliveryPoint>): PostalAddress {
  const joined = (separator: string, ...parts: (string | null | undefined)[]) => parts.filter(Boolean).join(separator)
  const box = point.PO_BOX_NUMBER && `PO BOX ${point.PO_BOX_NUMBER}`
  const streets = joined(', ', point.DEPENDENT_THOROUGHFARE_NAME, point.THOROUGHFARE_NAME)
  const lines = [
    joined(', ', point.DEPARTMENT_NAME, point.ORGANISATION_NAME, box),
    joined(', ', point.SUB_BUILDING_NAME, point.BUILDING_NAME),
    joined(' ', point.BUILDING_NUMBER, streets),
    joined(', ', point.DOUBLE_DEPENDENT_LOCALITY, point.DEPENDENT_LOCALITY),
  ].filter(Boolean)
  const [line1 = '', line2 = '', ...rest] = lines.map(titled)
  return {
    line1,
    line2,
    line3: rest.join(', '),
    town: titled(point.POST_TOWN ?? ''),
    county: '',
    postcode: point.POSTCODE,
  }
}

/** Converts capitals to title case: 'FLAT 2A, THE MILL' becomes 'Flat 2A, The Mill'. */
const titled = (capitals: string) =>
  capitals.replaceAll(/[\p{L}\d']+/gu, (word) =>
    /\d/.test(word) ? word : word[0]!.toUpperCase() + word.slice(1).toLowerCase(),
  )

const dialects: Record<PostcodeServiceName, Dialect> = {
  'postcodes.io': postcodesIo,
  'ideal-postcodes': idealPostcodes,
  'os-places': osPlaces,
}

const cached = { entries: 2_000, known: 24 * 3_600_000, unknown: 3_600_000 } as const
/** Maximum concurrent queries: each caller holds a database connection meanwhile. */
const mostAtOnce = 4
const attempts = 2

/** Why there is no usable response. If the service itself reports the reason, the query is not retried. */
class Unanswered extends Error {
  override name = 'Unanswered'
  readonly isFinal: boolean
  constructor(reason: string, isFinal = false) {
    super(reason)
    this.isFinal = isFinal
  }
}

/**
 * The configured service; a known postcode is queried at most once a day, an unknown one once an hour. Undefined if
 * none is configured. `wait` is the timeout in ms of each of the two attempts.
 */
export function postcodeService(
  setting: Config['postcodes'],
  log: Pick<FastifyBaseLogger, 'warn'>,
  { wait = 3_000, now = Date.now }: { wait?: number; now?: () => number } = {},
): PostcodeService | undefined {
  if (!setting) return undefined
  const dialect = dialects[setting.service]
  const answers = new Map<string, { known: KnownPostcode | undefined; until: number }>()
  const underWay = new Map<string, Promise<KnownPostcode | undefined>>()

  const ask = async (postcode: Postcode): Promise<KnownPostcode | undefined> => {
    const { url, headers } = dialect.request({ postcode, url: setting.url ?? dialect.url, key: setting.key ?? '' })
    const response = await fetch(url, {
      headers: { accept: 'application/json', ...headers },
      redirect: 'manual',
      signal: AbortSignal.timeout(wait),
    })
    if (dialect.unknown.includes(response.status)) return undefined
    if (response.status !== 200) throw new Unanswered(`it answers ${response.status}`, response.status < 500)
    return dialect.read(await response.json())
  }

  const persist = async (postcode: Postcode): Promise<KnownPostcode | undefined> => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await ask(postcode)
      } catch (error) {
        if (attempt < attempts && !(error instanceof Unanswered && error.isFinal)) continue
        // Contains neither the key nor the address.
        log.warn(`${setting.service} cannot be queried: ${reasonOf(error)}`)
        throw refuse('unavailable', 'The postcode service does not respond. Please try again in a moment.')
      }
    }
  }

  return {
    knowsAddresses: dialect.knowsAddresses,
    credit: dialect.credit,
    find: async (postcode) => {
      const kept = answers.get(postcode.text)
      if (kept && kept.until > now()) return kept.known
      const waiting = underWay.get(postcode.text)
      if (waiting) return waiting
      if (underWay.size >= mostAtOnce)
        throw refuse('unavailable', 'The postcode service is busy. Please try again in a moment.')
      const asked = persist(postcode)
      underWay.set(postcode.text, asked)
      try {
        const known = await asked
        answers.delete(postcode.text)
        answers.set(postcode.text, { known, until: now() + (known ? cached.known : cached.unknown) })
        if (answers.size > cached.entries) answers.delete(answers.keys().next().value!)
        return known
      } finally {
        underWay.delete(postcode.text)
      }
    },
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof Unanswered) return error.message
  if (error instanceof z.ZodError || error instanceof SyntaxError) return 'its response has an unexpected shape'
  const { name, cause } = error as Error & { cause?: { code?: string } }
  return name === 'TimeoutError' ? 'it does not respond in time' : (cause?.code ?? name)
}
