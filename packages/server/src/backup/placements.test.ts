import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, test } from 'vitest'
import { readConfig } from '../config.ts'
import { openStore } from '../files/store.ts'
import { isSpread, machinesOf, placements, placeTenant } from '../postgres/machines.ts'
import type { TestDatabase } from '../testing/database.ts'
import { emptyDatabase, isDistributed, testDatabase } from '../testing/database.ts'
import { openArchive } from './archive.ts'
import { backUp } from './backup.ts'
import { readManifest } from './manifest.ts'
import { restore } from './restore.ts'

const distributed = await isDistributed()
const folder = mkdtempSync(path.join(tmpdir(), 'caretaker-placements-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const files = openStore(readConfig({ CARETAKER_DATA: folder }))

const tenants = ['large', 'small']
const placed = async ({ owner }: TestDatabase) => {
  const client = await owner.connect()
  try {
    return await placements(client)
  } finally {
    client.release()
  }
}
/** The number of properties of each client. */
const homes = async ({ owner }: TestDatabase) =>
  (await owner.query(`select tenant_id as tenant, count(*)::int from property group by 1 order by 1`)).rows
const withHomes = tenants.map((tenant) => ({ tenant, count: 1 }))

/** Runs `work` with an installation of two clients that have a property each, and an empty one. */
async function inTwo(work: (here: TestDatabase, there: TestDatabase) => Promise<void>): Promise<void> {
  const [here, there] = [await testDatabase(), await emptyDatabase()]
  try {
    for (const id of tenants) {
      await here.owner.query('insert into tenant (id, display_name) values ($1, $1)', [id])
      await here.owner.query(`insert into property (tenant_id, id, reference) values ($1, gen_random_uuid(), 'A')`, [
        id,
      ])
    }
    await work(here, there)
  } finally {
    await there.drop()
    await here.drop()
  }
}

/** Restores a backup, with its own or other placements; returns what is reported about them. */
async function restored({ owner }: TestDatabase, file: string, instead?: { tenant: string; machine: string }[]) {
  const lines: string[] = []
  const archive = await openArchive(file)
  try {
    await archive.check()
    const manifest = await readManifest(archive)
    const changed = { ...manifest, placements: instead ?? manifest.placements }
    await restore({ owner, files }, archive, changed, { report: (line) => lines.push(line) })
    return { manifest, lines: lines.filter((line) => /machine/.test(line)) }
  } finally {
    archive.close()
  }
}

test('on one machine a backup has no placements, and those of another are ignored silently', async (t) => {
  if (distributed) return t.skip('TEST_DATABASE_URL names a distributed database')
  await inTwo(async (here, there) => {
    const file = path.join(folder, 'plain.zip')
    await backUp({ owner: here.owner, files }, file)
    const { manifest, lines } = await restored(there, file, [{ tenant: 'large', machine: 'worker3.example:5432' }])
    assert.deepEqual([manifest.placements, lines], [[], []])
    assert.equal(await isSpread(there.owner), false)
    assert.deepEqual(await homes(there), withHomes)
  })
})

test('a client with a machine of its own gets it back after a restore; a missing machine is reported', async (t) => {
  if (!distributed) return t.skip('TEST_DATABASE_URL names no Postgres with Citus and its nodes')
  await inTwo(async (here, there) => {
    assert.deepEqual(await placed(here), [])
    for (const machine of await machinesOf(here.owner)) await placeTenant(here.owner, 'large', machine)
    const [placement, ...others] = await placed(here)
    assert.deepEqual([placement?.tenant, others], ['large', []])
    const file = path.join(folder, 'spread.zip')
    await backUp({ owner: here.owner, files }, file)
    const gone = { tenant: 'small', machine: 'worker3.example:5432' }
    const { manifest, lines } = await restored(there, file, [placement!, gone])
    assert.deepEqual(manifest.placements, [placement])
    assert.deepEqual(await placed(there), [placement])
    assert.deepEqual(await homes(there), withHomes)
    assert.equal(lines.length, 2)
    assert.match(lines[0]!, /^large is on the machine \S+ again\.$/)
    assert.match(
      lines[1]!,
      /^small was on the machine worker3\.example:5432, which does not exist here: caretaker tenant place /,
    )

    // A client's machine does not move with it.
    const moving = path.join(folder, 'moving.zip')
    const { manifest: alone } = await backUp({ owner: here.owner, files }, moving, { tenant: 'large' })
    assert.deepEqual(alone.placements, [])
  })
})
