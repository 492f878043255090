import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { commitImport, getImport, uploadImport } from '@caretaker/contract/imports.ts'
import { runImports } from '@caretaker/server/features/imports/job.ts'
import { startEmbedded } from '@caretaker/server/postgres/embedded.ts'
import { migrate } from '@caretaker/server/postgres/migrate.ts'
import { testApp } from '@caretaker/server/testing/app.ts'
import { xlsxTable } from '@caretaker/server/spreadsheets/xlsx.ts'
import { openPools } from '@caretaker/server/testing/database.ts'
import { rounded } from './figures.ts'

const megabyte = 1_000_000
/** The memory limit is the additional MB for a list with twice the rows, because only keys are kept for each row. */
const limits = { seconds: 60, grownMB: 100 }

/**
 * The time from upload to the end of the import for a list of 50,000 properties, as text and as a workbook, and the memory that it
 * adds to the process. A list with half the rows shows whether memory grows with the list. `--rows N` changes the number of rows.
 */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { rows: { type: 'string', default: '50000' } } })
  const rows = Number(values.rows)
  const folder = mkdtempSync(path.join(tmpdir(), 'caretaker-bench-'))
  const server = await startEmbedded(folder)
  const database = openPools(server.url)
  try {
    await migrate(database.owner)
    const test = await testApp({ CARETAKER_DATA: folder }, database)
    const email = 'manager@north.test'
    const tenants = ['warm', 'half', 'north', 'book']
    for (const tenant of tenants) {
      await test.addTenant(tenant, { features: ['PropertyCentric'], capabilities: ['ViewProperties'] })
      await test.addMember(tenant, email, 'Manager')
    }
    const bringIn = async (tenant: string, count: number, file = new File([homes(count)], 'homes.csv')) => {
      globalThis.gc?.()
      const before = process.memoryUsage.rss()
      let highest = before
      const watch = setInterval(() => (highest = Math.max(highest, process.memoryUsage.rss())), 20)
      const begun = performance.now()
      const { body: uploaded } = await test.send(uploadImport, { form: { tenant, file } }, email)
      const importId = uploaded.data!.importId
      await runImports(test.context)
      const planned = performance.now()
      const { body: plan } = await test.send(getImport, { body: { tenant, importId } }, email)
      await test.send(commitImport, { body: { tenant, importId, revision: plan.data!.revision } }, email)
      await runImports(test.context)
      const seconds = rounded((performance.now() - begun) / 1000)
      clearInterval(watch)
      const { body: after } = await test.send(getImport, { body: { tenant, importId } }, email)
      if (after.data!.done !== count) throw new Error(`${after.data!.done} of ${count} came in`)
      return {
        rows: count,
        seconds,
        planning: rounded((planned - begun) / 1000),
        raisedMB: rounded((highest - before) / megabyte),
      }
    }
    await bringIn('warm', 2000)
    const half = await bringIn('half', Math.round(rows / 2))
    const whole = await bringIn('north', rows)
    const workbook = await bringIn('book', rows, await asWorkbook(rows))
    console.log(JSON.stringify({ half, whole, workbook }))
    const seconds = Math.max(whole.seconds, workbook.seconds)
    const grownMB = rounded(whole.raisedMB - half.raisedMB)
    console.log(
      `${rows} homes come in within ${whole.seconds} s, from a workbook ${workbook.seconds} s (must be at most ${limits.seconds}), memory raised by ${whole.raisedMB} MB, ${grownMB} MB more than by half of the list (must be at most ${limits.grownMB})`,
    )
    if (seconds > limits.seconds || grownMB > limits.grownMB) process.exitCode = 1
    await test.app.close()
  } finally {
    await database.drop()
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function asWorkbook(count: number): Promise<File> {
  const { rows, bytes } = xlsxTable('Homes', 7, 'UTC')
  rows.end(
    homes(count)
      .split('\n')
      .map((line) => line.split(',')),
  )
  return new File([new Uint8Array(await buffer(bytes))], 'homes.xlsx')
}

function homes(count: number): string {
  const lines = ['Property Ref,Address Line 1,Town,Post Code,EPC Rating,LGSR Date,Number of rooms']
  for (let n = 0; n < count; n++)
    lines.push(
      `H-${String(n).padStart(6, '0')},${(n % 180) + 1} Mill Lane ${Math.floor(n / 180)},Leeds,LS${(n % 28) + 1} 4AB,${'ABCDEFG'[n % 7]},${String((n % 27) + 1).padStart(2, '0')}/03/2026,${(n % 9) + 1}`,
    )
  return lines.join('\n')
}
