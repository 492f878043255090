import type { FastifyInstance } from 'fastify'
import type { HTTPMethod } from 'find-my-way'
import findMyWay from 'find-my-way'
import { serverSegments } from '@caretaker/rules/links/addresses.ts'
import type { AnyRoute } from '@caretaker/contract/route.ts'

/** How all parts of the server match addresses. */
export const addressing = { caseSensitive: false, ignoreTrailingSlash: true, maxParamLength: 200 }

/** The allowed methods and a route of an address; undefined if it has none. */
export type FindAddress = (url: string) => { methods: string[]; route: AnyRoute | undefined } | undefined

/**
 * Records every route registered from here on, to know the methods of an address. Rejects a route whose first segment
 * a client could have as its id.
 */
export function observeAddresses(app: FastifyInstance): FindAddress {
  const known = findMyWay(addressing)
  const methods = new Set<HTTPMethod>()
  app.addHook('onRoute', ({ method, url, config }) => {
    // Files of the web client: only a request shows whether one exists.
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
