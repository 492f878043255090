import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import pino from 'pino'
import { z } from 'zod'
import type { Import } from '@caretaker/contract/imports.ts'
import { columnsAsked } from '@caretaker/contract/import-lines.ts'
import { ImportOptions } from '@caretaker/contract/imports.ts'
import { Refusal } from '@caretaker/contract/refusal.ts'
import { importLimits, unreadable } from '@caretaker/rules/imports/cells.ts'
import type { ImportWishes } from '@caretaker/rules/imports/life.ts'
import { asksForColumns } from '@caretaker/rules/imports/life.ts'
import { operator as person } from '../audit/audit.ts'
import { runImports } from '../features/imports/job.ts'
import { addImport, begin, discardPlan, importInFull } from '../features/imports/store.ts'
import { template } from '../features/imports/template.ts'
import { inTenant } from '../postgres/tenant.ts'
import type { Operator } from './operator.ts'
import { expectTenant, OperatorError } from './operator.ts'

/** Reads a list and yields its preview; on request runs the import and yields the result. */
export async function* importFile(
  operator: Operator,
  { tenant, file, yes, wishes }: { tenant: string; file: string; yes?: true; wishes?: string },
): AsyncGenerator<Import> {
  await expectTenant(operator, tenant)
  const content = await readFile(file).catch(() => {
    throw new OperatorError(`${file} cannot be read.`)
  })
  if (content.length > importLimits.bytes) throw new OperatorError(`${unreadable.size}.`)
  const { db } = operator
  const list = { name: path.basename(file), content, ...(wishes !== undefined && { wishes: await wishesIn(wishes) }) }
  const id = await inTenant(db, tenant, (tx) => addImport(tx, person, list, new Date()))
  const worked = () => workedOn(operator, tenant, id)
  let hasBegun = false
  try {
    const planned = await worked()
    if (planned.state !== 'planned') throw new OperatorError(`${planned.fault ?? 'The list cannot be read'}.`)
    if (planned.found && asksForColumns(planned.found))
      throw new OperatorError(`${columnsAsked(planned.found)} Map the columns with --wishes.`)
    yield planned
    if (!yes) return
    const { revision } = planned
    await inTenant(db, tenant, (tx) => begin(tx, id, person, { from: 'planned', to: 'importing', revision }))
    hasBegun = true
    yield await worked()
  } finally {
    // A preview in a terminal is never resumed; in the portal it would wait for 30 days.
    if (!hasBegun) await inTenant(db, tenant, (tx) => discardPlan(tx, id))
  }
}

// A running server does the same work: the first one to claim it wins.
async function workedOn({ db }: Operator, tenant: string, id: string): Promise<Import> {
  await runImports({ db, log: pino({ level: 'silent' }) })
  return inTenant(db, tenant, (tx) => importInFull(tx, id))
}

/** The import settings in a file, in the shape of `PlanImport`. */
async function wishesIn(file: string): Promise<ImportWishes> {
  const text = await readFile(file, 'utf8').catch(() => {
    throw new OperatorError(`${file} cannot be read.`)
  })
  const settings = parsed(text)
  // Strict, so that a misspelt name is reported instead of ignored.
  const { data, error } = z.strictObject(ImportOptions.shape).safeParse(settings)
  if (error)
    throw new OperatorError(
      `${file}: ${error.issues.map((one) => `${one.path.join('.')} ${one.message}`.trim()).join('; ')}.`,
    )
  return data as ImportWishes
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Undoes a finished import; returns it with what is kept. */
export async function undoFile(operator: Operator, { tenant, id }: { tenant: string; id: string }): Promise<Import> {
  await expectTenant(operator, tenant)
  await inTenant(operator.db, tenant, (tx) => begin(tx, id, person, { from: 'done', to: 'undoing' })).catch(
    (error: unknown) => {
      if (!(error instanceof Refusal)) throw error
      throw new OperatorError(error.code === 'not found' ? `There is no import ${id}.` : error.message)
    },
  )
  return workedOn(operator, tenant, id)
}

/** Writes the import template; an existing file is not overwritten. */
export async function writeTemplate(file: string): Promise<void> {
  await writeFile(file, await buffer(template()), { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    throw new OperatorError(error.code === 'EEXIST' ? `${file} already exists.` : `${file} cannot be written.`)
  })
}
