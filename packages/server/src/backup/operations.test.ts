import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'vitest'
import { emptyDatabase, testDatabase } from '../testing/database.ts'
import { endConnections } from '../testing/operator-commands.ts'
import { runCommand } from '../testing/operator.ts'

const text = readFileSync(new URL('../../../../docs/operations.md', import.meta.url), 'utf8')
const [, section] = /^## Backup and restore\n([^]*?)^## /m.exec(text)!
const [, ofDistributed] = /^## A distributed database\n([^]*?)^## /m.exec(text)!

/** The commands in a section's code blocks, each as a list of its words. */
const blocksOf = (words: string) =>
  [...words.matchAll(/^```sh\n([^]*?)^```/gm)].map(([, lines]) =>
    lines!
      .trim()
      .split('\n')
      .map((line) => [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word!)),
  )
const blocks = blocksOf(section!)

test('the backup commands in operations.md work as written', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'caretaker-operations-'))
  mkdirSync(path.join(folder, 'backups'))
  const [here, empty, there] = [await testDatabase(), await emptyDatabase(), await testDatabase()]
  try {
    const run = async (database: { url: string }, words: readonly string[]) => {
      assert.deepEqual(words.slice(0, 4), ['npm', 'run', 'caretaker', '--'])
      const args = words.slice(4).map((word) => word.replace(/^\/backups\//, `${folder}/backups/`))
      const data = path.join(folder, new URL(database.url).pathname)
      const env = { DATABASE_URL: database.url, CARETAKER_DATA: data }
      const { code, stderr } = await runCommand({ args, env, cwd: folder })
      assert.equal(code, 0, `${words.join(' ')}: ${stderr}`)
    }
    await here.owner.query(`insert into tenant (id, display_name) values ('northgate', 'Northgate Homes')`)
    await Promise.all([here, empty, there].map(({ owner }) => owner.query('select 1')))
    const where = [
      [here, here, empty],
      [here, here],
      [there, there],
    ]
    assert.deepEqual(
      blocks.map((block) => block.length),
      where.map((databases) => databases.length),
    )
    for (const [at, block] of blocks.entries())
      for (const [line, words] of block.entries()) {
        const database = where[at]![line]!
        // Restoring everything requires that no process is connected.
        if (words.includes('restore') && !words.includes('--tenant')) await endConnections(database.url)
        await run(database, words)
      }
    const { rows } = await there.owner.query('select id, suspended_at from tenant')
    assert.deepEqual(rows, [{ id: 'northgate', suspended_at: null }])
    assert.equal((await empty.owner.query('select from tenant')).rowCount, 1)

    const [, check] = /`(unzip [^`]+)`/.exec(section!)!
    if (existsSync('/usr/bin/unzip')) {
      const command = check!.replaceAll('/backups/', `${folder}/backups/`)
      const { status, stdout } = spawnSync('sh', ['-c', command], { cwd: folder, encoding: 'utf8' })
      assert.equal(status, 0, stdout)
    }
  } finally {
    for (const database of [there, empty, here]) await database.drop()
    rmSync(folder, { recursive: true, force: true })
  }
})

test('the commands in operations.md for moving into another database work as written', async () => {
  const [move, place] = blocksOf(ofDistributed!)
  const folder = mkdtempSync(path.join(tmpdir(), 'caretaker-operations-'))
  const [from, to] = [await testDatabase(), await emptyDatabase()]
  try {
    const run = (words: readonly string[]) =>
      runCommand({
        args: words.slice(4).map((word) => word.replace(/^postgres:.*/, to.url)),
        env: { DATABASE_URL: from.url, CARETAKER_DATA: folder },
        cwd: folder,
      })
    await from.owner.query(`insert into tenant (id, display_name) values ('northgate', 'Northgate Homes')`)
    for (const words of move!) {
      await endConnections(from.url)
      await endConnections(to.url)
      const { code, stderr } = await run(words)
      assert.equal(code, 0, `${words.join(' ')}: ${stderr}`)
    }
    assert.equal((await to.owner.query('select from tenant')).rowCount, 1)
    const placed = await run(place![0]!)
    assert.match(placed.stderr, /worker3\.example:5432|on one machine/)
  } finally {
    for (const database of [to, from]) await database.drop()
    rmSync(folder, { recursive: true, force: true })
  }
})
