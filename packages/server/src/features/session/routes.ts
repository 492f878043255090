import type { FastifyInstance } from 'fastify'
import { boilerReset } from '@caretaker/contract/actions.ts'
import { refuse, success } from '@caretaker/contract/refusal.ts'
import { getClientSettings, getSession, getTenants, logError } from '@caretaker/contract/session.ts'
import { servePerson, servePublic } from '../../http/serve.ts'
import type { Context } from '../../context.ts'
import type { Person } from '../../identity/person.ts'
import { tenantOfSoftware, tenantsOf } from '../../identity/person.ts'
import { mapFile } from '../../http/map-file.ts'
import { beginViewed } from '../../http/viewing.ts'
import { inTenant } from '../../postgres/tenant.ts'
import { expectWithin } from '../../postgres/throttle.ts'
import { recordClientError } from './store.ts'

/** Rate limit of recorded browser errors per person: a page that cannot be rendered reports repeatedly. */
const errorsOfPerson = { most: 50, seconds: 86_400 }

const ownTenants = ({ db }: Context, { id, keyOf }: Person) =>
  keyOf ? tenantOfSoftware(db, keyOf, id) : tenantsOf(db, id)

/** The person's clients; while they view one as another member, with that member's id, role and tags there. */
async function shownTenants(context: Context, person: Person) {
  const own = await ownTenants(context, person)
  if (!person.viewing) return own
  const { actor } = await inTenant(context.db, person.viewing.tenant, (tx) => beginViewed(tx, person, context.config))
  const { tenant, memberId, role, tags } = actor
  return own.map((one) => (one.id === tenant ? { ...one, memberId, role, tags: [...tags] } : one))
}

export function sessionRoutes(app: FastifyInstance): void {
  servePublic(app, getClientSettings, async ({ context }) => {
    const { oidc, appUrl, resetUrl, support, map, demo, outbound } = context.config
    const { issuer, clientId, audience } = oidc
    return {
      oidc: { issuer, clientId, audience },
      appUrl: appUrl ?? null,
      resetUrl: resetUrl ?? boilerReset.path,
      support,
      outbound,
      map: {
        styleUrl: map.styleUrl ?? null,
        roadmapTiles: map.roadmapTiles,
        satelliteTiles: map.satelliteTiles,
        pmtiles: map.pmtiles ? mapFile : null,
        attribution: map.attribution,
        sketch: demo,
      },
    }
  })

  servePerson(app, getSession, async ({ context, person }) => {
    const { id: userId, name, email, pictureUrl, emailVerified, removedAt } = person
    return {
      userId,
      name,
      email,
      pictureUrl,
      emailVerified,
      removedAt: removedAt?.toISOString() ?? null,
      tenants: await shownTenants(context, person),
    }
  })

  servePerson(app, getTenants, async ({ context, person }) => success(await ownTenants(context, person)))

  servePerson(app, logError, async ({ context, person, body }) => {
    const { tenant, message, stack, componentStack } = body
    if (tenant && !(await tenantsOf(context.db, person.id)).some(({ id }) => id === tenant)) throw refuse('not found')
    await expectWithin(context.db, ['client error', person.id], errorsOfPerson)
    await recordClientError(context.db, { tenant: tenant ?? null, personId: person.id, message, stack, componentStack })
  })
}
