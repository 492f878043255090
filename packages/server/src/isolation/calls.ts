import assert from 'node:assert/strict'
import { beforeAll, describe, test } from 'vitest'
import type { AnyRoute } from '@caretaker/contract/route.ts'
import { takesKeys } from '@caretaker/contract/route.ts'
import { rolesForKey } from '@caretaker/rules/api-keys/api-keys.ts'
import type { Role } from '@caretaker/rules/identity/roles.ts'
import { roles } from '@caretaker/rules/identity/roles.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import type { Action } from '@caretaker/rules/rights/can.ts'
import { makeKey } from '../testing/api-key.ts'
import type { Sent } from './examples.ts'
import { answersForEach, complaints, emptyOnPurpose, examples, ofPeople } from './examples.ts'
import type { Layer } from './layers.ts'
import { removeLayers } from './layers.ts'
import type { Pair } from './pair.ts'
import { actorOf, idsIn, memberOf, memberAllowedTo, openPair, rowsOf, tenantRoutes, tenantTables } from './pair.ts'

/** Everything that differs between two runs of the same example is named 'fresh…'. */
const withoutFresh = (sent: Sent) => JSON.stringify(sent).replaceAll(/fresh[^"]*/g, '')

/** The paths of lists in a response, and those with content. */
function listsIn(answer: unknown): { all: Set<string>; filled: Set<string> } {
  const [all, filled] = [new Set<string>(), new Set<string>()]
  const look = (value: unknown, place: string) => {
    if (Array.isArray(value)) {
      all.add(place)
      for (const one of value) {
        filled.add(place)
        look(one, `${place}[]`)
      }
    } else if (typeof value === 'object' && value !== null)
      for (const [name, part] of Object.entries(value)) look(part, `${place}.${name}`)
  }
  look(answer, '')
  return { all, filled }
}

const send = ({ app }: Pair, route: AnyRoute, sent: object, email?: string) => app.send(route, sent as never, email)
const sendByKey = ({ app }: Pair, route: AnyRoute, sent: object, key: string) =>
  app.send(route, sent as never, undefined, { headers: { authorization: `Bearer ${key}` } })

/** Makes every call with the ids of another tenant, with some of the isolation layers removed. */
export function walkCalls(title: string, taken: readonly Layer[]): void {
  describe(title, () => {
    let pair: Pair
    /** The ids of everything in the other tenant. */
    let foreign: Set<string>
    beforeAll(async () => {
      pair = await openPair()
      foreign = idsIn([...(await rowsOf(pair.app, await tenantTables(pair.app), 'theirs')).values()].flat())
      await removeLayers(pair.app, taken)
    })

    for (const [name, route] of tenantRoutes) {
      const example = examples[name]!

      test(`${name}: answers a member [core-1-4]`, async () => {
        const { status, body } = await send(pair, route, await example(pair.mine), memberAllowedTo(route))
        assert.equal(status, route.status, JSON.stringify(body))
        const text = JSON.stringify(body)
        assert.ok(!text.includes(pair.theirs.secret))
        assert.deepEqual(
          [...idsIn([text])].filter((id) => foreign.has(id)),
          [],
        )
        // A list that is empty with both layers would hide what a missing layer reveals.
        const { all, filled } = listsIn(body)
        const empty = [...all].filter((place) => !filled.has(place) && !complaints.test(place))
        assert.deepEqual(
          empty.filter((place) => !emptyOnPurpose[name]?.test(place)),
          [],
        )
      })

      test(`${name}: another tenant is not found [dev-1purpose-5]`, async () => {
        const { status, body } = await send(pair, route, await example(pair.theirs), memberAllowedTo(route))
        assert.equal(status, 404, JSON.stringify(body))
      })

      test(`${name}: another tenant's ids are as if they did not exist [dev-1purpose-5]`, async () => {
        const { mine, theirs } = pair
        const { status, body } = await send(
          pair,
          route,
          await example({ ...theirs, tenant: 'mine' }),
          memberAllowedTo(route),
        )
        const takesId =
          withoutFresh(await example(theirs)) !== withoutFresh(await example({ ...mine, tenant: 'theirs' }))
        assert.equal(status, answersForEach[name] ?? (takesId ? 404 : route.status))
        for (const { message } of (body.data?.results ?? []) as { message: string }[])
          assert.equal(message, 'Not found.')
        assert.ok(!JSON.stringify(body).includes(theirs.secret))
      })
    }
  })
}

/** Makes every call as each kind of caller. Access is decided before anything is read, so the layers do not matter. */
export function walkCallers(): void {
  let pair: Pair
  /** An API key for each possible role, and one of the other tenant with all rights there. */
  const keys = new Map<Role, string>()
  let theirKey: string
  beforeAll(async () => {
    pair = await openPair()
    for (const role of rolesForKey({ role: 'Manager' }))
      keys.set(role, await makeKey(pair.app, 'mine', pair.mine.manager, role))
    theirKey = await makeKey(pair.app, 'theirs', pair.theirs.manager)
  })

  for (const [name, route] of tenantRoutes) {
    const example = examples[name]!
    // A rejected call changes nothing: one example serves all of them.
    let refused: Sent | undefined
    const refusedExample = async () => (refused ??= await example(pair.mine))

    test(`${name}: 401 without a token [core-7-2 dev-7dash-1 est-7-2]`, async () => {
      const { status, body } = await send(pair, route, await refusedExample())
      assert.equal(status, 401)
      assert.ok(!JSON.stringify(body).includes(pair.mine.secret))
    })

    test(`${name}: another tenant's API key finds nothing here`, async () => {
      const { status, body } = await sendByKey(pair, route, await refusedExample(), theirKey)
      assert.equal(status, takesKeys(route) ? 404 : 403, JSON.stringify(body))
      assert.ok(!JSON.stringify(body).includes(pair.mine.secret))
    })

    test(`${name}: an API key calls what its role may, and nothing else`, async () => {
      for (const [role, key] of keys) {
        if (!takesKeys(route) || !can(actorOf(role), route.may as Action)) {
          const { status, body } = await sendByKey(pair, route, await refusedExample(), key)
          assert.equal(status, 403, `${role}: ${JSON.stringify(body)}`)
          continue
        }
        const { status, body } = await sendByKey(pair, route, await example(pair.mine), key)
        if (role === 'Manager') assert.equal(status, ofPeople[name] ?? route.status, JSON.stringify(body))
        else assert.ok([route.status, 403, 404, 409].includes(status as never), `${role}: ${status}`)
      }
    })

    test(`${name}: each role, limited or not, gets what the rules say`, async () => {
      for (const role of roles)
        for (const limited of [false, true]) {
          const actor = actorOf(role, limited ? [pair.mine.accessRightsTag] : [])
          const may = can(actor, route.may as Action)
          const { status } = await send(
            pair,
            route,
            may ? await example(pair.mine) : await refusedExample(),
            memberOf(role, limited),
          )
          const who = `${limited ? 'limited ' : ''}${role}`
          if (!may) assert.equal(status, 403, who)
          // Further rules apply to the single item: the member may not access it, or it no longer exists.
          else assert.ok([route.status, 403, 404, 409].includes(status as never), `${who}: ${status}`)
        }
    })
  }
}
