import assert from 'node:assert/strict'
import { beforeAll, describe, test } from 'vitest'
import type { Scim } from '../testing/scim.ts'
import { makeProvisioningKey, scimWith } from '../testing/scim.ts'
import { skipBecause } from '../testing/skipping.ts'
import { removeLayers, unsent, walks } from './layers.ts'
import type { Pair } from './pair.ts'
import { openPair, rowsOf } from './pair.ts'

/** The calls of directories are not routes of the contract, so the walks in the other files leave them out. */
const tables = ['scim_user', 'scim_group', 'scim_group_member', 'group_access', 'scim_key', 'membership']

for (const { title, taken } of walks)
  describe(`provisioning ${title} [dev-1purpose-5]`, skipBecause(taken.includes('tenant conditions') && unsent), () => {
    let pair: Pair
    let scim: Scim
    let theirs: { user: string; group: string }
    let mine: { user: string; group: string }
    beforeAll(async () => {
      pair = await openPair()
      const { app } = pair
      await pair.mine.revokeProvisioningKeys()
      scim = scimWith(app, (await makeProvisioningKey(app, 'mine', pair.mine.manager)).key)
      const idOf = async (table: string, tenant: string) =>
        (await app.database.owner.query<{ id: string }>(`select id from ${table} where tenant_id = $1`, [tenant]))
          .rows[0]!.id
      const both = async (tenant: string) => ({
        user: await idOf('scim_user', tenant),
        group: await idOf('scim_group', tenant),
      })
      theirs = await both('theirs')
      mine = await both('mine')
      await removeLayers(app, taken)
    })

    test('lists contain the data of the client, and none of another', async () => {
      for (const path of [
        '/Users',
        '/Groups',
        `/Users?filter=${encodeURIComponent(`externalId eq "${pair.theirs.secret}"`)}`,
      ]) {
        const { status, body } = await scim('GET', path)
        assert.equal(status, 200)
        assert.equal(body['totalResults'], path.includes('filter') ? 0 : 1)
        assert.ok(!JSON.stringify(body).includes(pair.theirs.secret))
      }
    })

    test('data of another client is not found, and stays unchanged', async () => {
      const before = await rowsOf(pair.app, tables, 'theirs')
      const off = { Operations: [{ op: 'replace', value: { active: false } }] }
      const none = { Operations: [{ op: 'remove', path: 'members' }] }
      const { user, group } = theirs
      const answers = [
        await scim('GET', `/Users/${user}`),
        await scim('PUT', `/Users/${user}`, { userName: 'x' }),
        await scim('PATCH', `/Users/${user}`, off),
        await scim('DELETE', `/Users/${user}`),
        await scim('GET', `/Groups/${group}`),
        await scim('PUT', `/Groups/${group}`, { displayName: 'x' }),
        await scim('PATCH', `/Groups/${group}`, none),
        await scim('DELETE', `/Groups/${group}`),
      ]
      assert.deepEqual(
        answers.map(({ status }) => status),
        Array(8).fill(404),
      )
      const added = { Operations: [{ op: 'add', path: 'members', value: [{ value: user }] }] }
      assert.equal((await scim('PATCH', `/Groups/${mine.group}`, added)).status, 400)
      assert.deepEqual(await rowsOf(pair.app, tables, 'theirs'), before)
    })

    test('the calls of the client itself succeed', async () => {
      const { user, group } = mine
      const name = { Operations: [{ op: 'replace', path: 'title', value: 'Engineer' }] }
      const answers = [
        await scim('GET', `/Users/${user}`),
        await scim('PATCH', `/Users/${user}`, name),
        await scim('GET', `/Groups/${group}`),
        await scim('POST', '/Groups', { displayName: 'New', members: [{ value: user }] }),
        await scim('POST', '/Users', { userName: 'new@mine.test' }),
        await scim('DELETE', `/Groups/${group}`),
        await scim('DELETE', `/Users/${user}`),
      ]
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200, 200, 201, 201, 204, 204],
      )
    })
  })
