import { loadModule, parseSync } from 'libpg-query'

/** A node of a parsed statement in Postgres' own grammar. */
type Part = Record<string, unknown>

/** The tables that belong to tenants. */
export type TenantTables = ReadonlySet<string>

/** Sign-in happens before a tenant is chosen: a person's memberships are read from every machine, through an index. */
const insteadOfTenant: Readonly<Record<string, string>> = { membership: 'person_id' }

/**
 * Why a statement cannot run on a distributed database, in words; empty if it can. A statement must name its tenant,
 * so that it goes to the tenant's machine, and written values must not depend on a machine's clock. Schema changes
 * and statements on other schemas are not checked.
 *
 * Call the parser's `loadModule` before. Throws the parser's error if the text is not a statement.
 */
export function faultsOf(text: string, tables: TenantTables): string[] {
  if (!/\b(select|insert|update|delete|merge)\b/i.test(text)) return []
  const faults: string[] = []
  for (const { stmt } of parseSync(text).stmts ?? []) lookAt(stmt as Part, tables, faults)
  return [...new Set(faults)]
}

export { loadModule }

const looked = new Set([
  'SelectStmt',
  'InsertStmt',
  'UpdateStmt',
  'DeleteStmt',
  'MergeStmt',
  'DeclareCursorStmt',
  'CopyStmt',
  'ExplainStmt',
])

function lookAt(statement: Part, tables: TenantTables, faults: string[]): void {
  if (!Object.keys(statement).some((kind) => looked.has(kind))) return
  const named = new Map<string, Part>()
  walk(statement, (kind, part) => {
    if (kind !== 'CommonTableExpr') return
    const name = part.ctename as string
    if (tables.has(name)) faults.push(`${name}: a part of WITH has the name of a table`)
    named.set(name, part.ctequery as Part)
  })
  const isTenants = (part: Part) => !part.schemaname && tables.has(part.relname as string)

  viewsStandAlone(statement, faults)
  walk(statement, (kind, part) => {
    if (kind === 'SelectStmt') tenantIsNamed(list(part.fromClause), part, isTenants, faults)
    if (kind === 'UpdateStmt')
      tenantIsNamed([{ RangeVar: part.relation }, ...list(part.fromClause)], part, isTenants, faults)
    if (kind === 'DeleteStmt')
      tenantIsNamed([{ RangeVar: part.relation }, ...list(part.usingClause)], part, isTenants, faults)
    if (kind === 'MergeStmt') faults.push('merge: insert with on conflict, or update')
    if (kind === 'InsertStmt') insertIsPlain(part, isTenants, faults)
    if (kind === 'InsertStmt' || kind === 'UpdateStmt') valuesAreGiven(part, faults)
    if (kind === 'UpdateStmt') sourcesAreGiven(part, faults)
    if (writing.has(kind)) answerIsPlain(part, faults)
  })
  for (const query of named.values())
    if ('InsertStmt' in query && readsNamed(query, named))
      faults.push('an insert inside WITH is fed by another part of the statement: make several statements of it')
}

/** Tables that the application may only read with the rights of a view. */
const views: ReadonlySet<unknown> = new Set(['open_session'])

/** Joined with a distributed table, a view is read with the caller's rights. */
function viewsStandAlone(statement: Part, faults: string[]): void {
  const names: unknown[] = []
  walk(statement, (kind, part) => {
    if (kind === 'RangeVar') names.push(part.relname)
  })
  const view = names.find((name) => views.has(name))
  if (view && names.some((name) => name !== view)) faults.push(`${view as string}: a view is to be asked by itself`)
}

/** Every tenant table in one FROM must be compared with the tenant itself, not only with another table. */
function tenantIsNamed(from: Part[], level: Part, isTenants: (part: Part) => boolean, faults: string[]): void {
  const conditions: Part[] = []
  const found = from.flatMap((part) => joined(part, conditions)).filter(isTenants)
  const compared = new Set([...conditions, level.whereClause as Part].flatMap(everyOf).map(givenColumn))
  for (const range of found) {
    const name = nameOf(range)
    const isCompared = [...compared].some((column) => {
      const [table, key] = column?.split('.') ?? []
      const fits = key === 'tenant_id' || key === insteadOfTenant[range.relname as string]
      return fits && (table === name || (table === '' && found.length === 1))
    })
    if (!isCompared) faults.push(`${name}: its tenant_id is not compared with a parameter`)
  }
}

const nameOf = (range: Part) => ((range.alias as Part | undefined)?.aliasname ?? range.relname) as string

/** The tables of a part of FROM; adds the conditions of its joins to `conditions`. */
function joined(part: Part, conditions: Part[]): Part[] {
  if (part.RangeVar) return [part.RangeVar as Part]
  const join = part.JoinExpr as Part | undefined
  if (!join) return []
  if (join.quals) conditions.push(join.quals as Part)
  return [...joined(join.larg as Part, conditions), ...joined(join.rarg as Part, conditions)]
}

/** The conditions that must all hold. */
function everyOf(condition: Part | undefined): Part[] {
  const bool = condition?.BoolExpr as Part | undefined
  if (bool?.boolop === 'AND_EXPR') return list(bool.args).flatMap(everyOf)
  return condition ? [condition] : []
}

/**
 * The column that a condition compares with a given value, as `table.column`; the table is empty if it is not named.
 */
function givenColumn(condition: Part): string | undefined {
  const comparison = condition.A_Expr as Part | undefined
  if (comparison?.kind !== 'AEXPR_OP' || lastName(list(comparison.name)) !== '=') return undefined
  const sides = [comparison.lexpr as Part, comparison.rexpr as Part]
  const column = sides.map(columnOf).find((found) => found)
  return column && sides.some(isGiven) ? `${column.at(-2) ?? ''}.${column.at(-1)}` : undefined
}

/** A parameter or a literal, with or without a cast. */
function isGiven(part: Part | undefined): boolean {
  if (!part) return false
  const cast = part.TypeCast as Part | undefined
  return cast ? isGiven(cast.arg as Part) : 'ParamRef' in part || 'A_Const' in part
}

const columnOf = (part: Part | undefined): string[] | undefined =>
  part?.ColumnRef ? list((part.ColumnRef as Part).fields).map((field) => text(field) ?? '*') : undefined

function insertIsPlain(insert: Part, isTenants: (part: Part) => boolean, faults: string[]): void {
  const table = insert.relation as Part
  const source = (insert.selectStmt as Part | undefined)?.SelectStmt as Part | undefined
  if (!isTenants(table) || !source) return
  const columns = list(insert.cols).map((column) => (column.ResTarget as Part).name as string)
  const position = Math.max(0, columns.indexOf('tenant_id'))
  for (const row of rowsOf(source))
    if (!isGiven(row[position])) faults.push(`${nameOf(table)}: the tenant_id that is inserted is no parameter`)
  conflictIsPlain(insert, source, faults)
  if (!source.valuesLists && !insert.onConflictClause && !list(insert.returningList).length && !insert.returningClause)
    faults.push(
      `${nameOf(table)}: insert … select has neither on conflict nor returning, and would become a COPY, which row security refuses`,
    )
}

/** Selected values are sent to the machines as rows, but parameters next to them are not. */
function conflictIsPlain(insert: Part, source: Part, faults: string[]): void {
  if (source.valuesLists || !insert.onConflictClause) return
  walk(insert.onConflictClause, (kind) => {
    if (kind === 'ParamRef') faults.push('a parameter after on conflict of insert … select: let it come with the rows')
  })
}

function rowsOf(source: Part): Part[][] {
  if (source.larg) return [...rowsOf(source.larg as Part), ...rowsOf(source.rarg as Part)]
  if (source.valuesLists) return list(source.valuesLists).map((row) => list((row.List as Part).items))
  return [list(source.targetList).map((target) => (target.ResTarget as Part).val as Part)]
}

/** Written values must not depend on a machine's clock, nor conditions in them on its settings. */
function valuesAreGiven(statement: Part, faults: string[]): void {
  if ((statement.relation as Part).schemaname) return
  const conflict = statement.onConflictClause as Part | undefined
  const source = (statement.selectStmt as Part | undefined)?.SelectStmt as Part | undefined
  const targets = [...list(statement.targetList), ...list(conflict?.targetList)]
  const written = [
    ...targets.map((target) => (target.ResTarget as Part).val as Part),
    ...(source ? rowsOf(source).flat() : []),
  ]
  for (const value of written) if (value) pureValue(value, faults)
  // Conditional expressions in the condition of an update are checked as strictly as written values.
  walk({ conditions: [statement.whereClause, conflict] }, (kind, part) => {
    if (choosing.has(kind)) pureValue(part, faults)
  })
}

/** Values that an update reads from a subquery count as part of the update; a materialized WITH part does not. */
function sourcesAreGiven(update: Part, faults: string[]): void {
  for (const part of list(update.fromClause)) {
    const query = ((part.RangeSubselect as Part | undefined)?.subquery as Part | undefined)?.SelectStmt as
      | Part
      | undefined
    for (const value of query ? rowsOf(query).flat() : []) pureValue(value, faults)
  }
}

/** Returned values of a writing statement must depend only on its rows, not on a machine's settings. */
function answerIsPlain(statement: Part, faults: string[]): void {
  if ((statement.relation as Part).schemaname) return
  walk({ returned: [statement.returningList, statement.returningClause] }, (kind, part) => {
    const name = kind === 'FuncCall' ? lastName(list(part.funcname)) : undefined
    if (kind === 'SQLValueFunction' || (name && (clocks.has(name) || sessionDependent.has(name))))
      faults.push(`returning ${name ?? 'a clock'}: return the column`)
  })
}

const writing = new Set(['InsertStmt', 'UpdateStmt', 'DeleteStmt'])
/** Functions that depend on the session's time zone or language. */
const sessionDependent = new Set([
  'to_char',
  'to_date',
  'to_timestamp',
  'date_trunc',
  'age',
  'format',
  'concat',
  'concat_ws',
])
const choosing = new Set(['CaseExpr', 'CoalesceExpr', 'MinMaxExpr'])
const clocks = new Set(['now', 'clock_timestamp', 'statement_timestamp', 'transaction_timestamp', 'timeofday'])

function pureValue(value: Part, faults: string[]): void {
  walk(value, (kind, part) => {
    const name = kind === 'FuncCall' ? lastName(list(part.funcname)) : undefined
    const type = kind === 'TypeCast' ? lastName(list((part.typeName as Part).names)) : undefined
    if (kind === 'SQLValueFunction' || (name && clocks.has(name)))
      faults.push('the clock of the database is written: pass a Date')
    if (name === 'make_interval' || type === 'interval') faults.push('interval arithmetic is written: pass a Date')
    if (kind === 'TypeCast' && hasColumn(part.arg as Part)) faults.push('a column is cast where a value is written')
    if (kind === 'CaseExpr' && part.arg) faults.push('case … when a value: write case when a condition')
  })
}

function readsNamed(query: Part, named: ReadonlyMap<string, Part>): boolean {
  let found = false
  walk(query, (kind, range) => {
    found ||= kind === 'RangeVar' && !range.schemaname && named.has(range.relname as string)
  })
  return found
}

function hasColumn(part: Part): boolean {
  let found = false
  walk({ part }, (kind) => {
    found ||= kind === 'ColumnRef'
  })
  return found
}

/** Visits every node below, with its kind. */
function walk(part: unknown, visit: (kind: string, part: Part) => void): void {
  if (Array.isArray(part)) for (const one of part) walk(one, visit)
  else if (typeof part === 'object' && part !== null)
    for (const [key, value] of Object.entries(part)) {
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) visit(kindOf(key), value as Part)
      walk(value, visit)
    }
}

/** Some nodes have no kind where only one is possible. */
const plainKinds: Record<string, string> = { larg: 'SelectStmt', rarg: 'SelectStmt' }
const kindOf = (key: string) => plainKinds[key] ?? key

const list = (value: unknown): Part[] => (value ?? []) as Part[]
const text = (part: Part) => (part.String as Part | undefined)?.sval as string | undefined
const lastName = (names: Part[]) => text(names.at(-1)!) ?? ''
