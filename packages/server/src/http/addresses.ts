import type { FastifyInstance } from 'fastify'
import type { HTTPMethod } from 'find-my-way'
import findMyWay from 'find-my-way'
import { serverSegments } from '@caretaker/rules/links/addresses.ts'
import type { AnyRoute } from '@caretaker/contract/route.ts'

/** How the server reads addresses, whoever asks for one. */
export const addressing = { caseSensitive: false, ignoreTrailingSlash: true, maxParamLength: 200 }

/** The methods that an address takes, and a call that is served there; undefined where nothing is served. */
export type FindAddress = (url: string) => { methods: string[]; route: AnyRoute | undefined } | undefined

/**
 * Takes down every route that is registered from here on, to tell which methods an address takes. Refuses a route below a first
 * segment that a client could have as its id.
 */
export function observeAddresses(app: FastifyInstance): FindAddress {
  const known = findMyWay(addressing)
  const methods = new Set<HTTPMethod>()
  app.addHook('onRoute', ({ method, url, config }) => {
    // Files of the web client: whether there is one, only asking shows.
    if (url === '/*') return
    const [, first = ''] = url.split('/')
    if (!(serverSegments as readonly string[]).includes(first.toLowerCase()))
      throw new Error(`The route ${url} begins with a name that serverSegments does not reserve`)
    for (const one of [method].flat() as HTTPMethod[]) {
      methods.add(one)
      if (!known.hasRoute(one, url)) known.on(one, url, () => {}, { route: config?.route })
    }
  })
  return (url) => {
    const [path = ''] = url.split('?')
    const found = [...methods].flatMap((method) => {
      const match = known.find(method, path)
      return match ? [{ method, route: (match.store as { route?: AnyRoute }).route }] : []
    })
    if (!found.length) return undefined
    return { methods: found.map(({ method }) => method).toSorted(), route: found.find(({ route }) => route)?.route }
  }
}
